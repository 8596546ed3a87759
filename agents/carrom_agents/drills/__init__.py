"""Drills: named positions with a task each, their best known strikes, and how players do."""
