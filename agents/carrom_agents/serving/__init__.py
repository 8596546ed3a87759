"""Play in the browser: games at a server that runs the engine, the umpire and the players.

``game`` is a match at a table, without web; ``analysis`` what the planner and a network say of
a position; ``messages`` everything that a browser may say, checked; ``hosting`` the games that
are open, ``threads`` who computes for them; ``app`` the web application; ``server`` runs it. Only
the last two need the extra ``serve``.
"""
