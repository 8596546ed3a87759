"""The page that shows a sceptic what the physics does: ``docs/physics.md`` and its pictures."""
