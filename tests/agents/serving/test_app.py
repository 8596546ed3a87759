"""The server as browsers, and others, meet it."""

from __future__ import annotations

import json
import re
import threading
import time
from contextlib import ExitStack
from typing import Any
from urllib.request import Request, urlopen

import numpy as np
import pytest
from game_site import NAMES, WISH, Site, idle, players, until
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from carrom.errors import ConfigError
from carrom.replay import load, verify
from carrom_agents.roster import find_player
from carrom_agents.serving.app import application
from carrom_agents.serving.connection import GONE
from carrom_agents.serving.game import Game
from carrom_agents.serving.hosted import Hosted, Limits, giving_way
from carrom_agents.serving.hosting import Host
from carrom_agents.serving.messages import Flick
from carrom_agents.serving.settings import GameSettings
from carrom_agents.serving.shared_player import SharedPlayer

AIMER = find_player("aimer")
HOSTILE = "<img src=x onerror=x()></scrip"


def strike(site, token: str, rng: np.random.Generator) -> dict[str, Any]:
    """What the aimer would flick."""
    game = site.host.find(token).game
    made = AIMER(game.view(), rng)
    return {
        **{"type": "strike", "number": game.shown["number"], "place": made.place},
        **{"direction": made.direction, "speed": made.speed},
    }


def until_closed(socket: Any) -> tuple[list[str], int]:
    """The errors told until the connection is closed, and the code it is closed with."""
    errors = []
    try:
        while True:
            message = socket.receive_json()
            if message["type"] == "error":
                errors.append(message["error"])
    except WebSocketDisconnect as closed:
        return errors, closed.code


def test_pages_ask_nothing_of_anybody_else_and_run_nothing_written_into_them(site) -> None:
    token = site.open()
    for path in ("/", f"/games/{token}"):
        page = site.client.get(path)
        assert page.status_code == 200
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert re.findall(r"[a-z]+://[^\"'\s<]*", page.text) == []
        for name in re.findall(r'(?:src|href)="(/files/[^"]+)"', page.text):
            assert site.client.get(name).status_code == 200
        assert not re.search(r"\son\w+=", page.text)
        assert "{{" not in page.text
    for name in (*NAMES, "person"):
        assert f'<option value="{name}"' in site.client.get("/").text


def test_a_hostile_name_is_data(site) -> None:
    page = site.client.get(f"/games/{site.open(first_name=HOSTILE)}").text
    assert "<img" not in page
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert data is not None
    assert HOSTILE in json.loads(data[1])["players"].values()


def test_a_board_is_played_to_its_end_and_kept(site, tmp_path) -> None:
    token, rng = site.open(), np.random.default_rng(0)
    strokes: list[Any] = []
    with site.socket(token) as socket:
        while True:
            message = socket.receive_json()
            assert message["type"] == "table", message
            assert message["from"] == len(strokes)
            strokes += message["strokes"]
            now = message["now"]
            assert now["number"] == len(strokes)
            if now["over"]:
                break
            if now["person"] and not now["busy"]:
                socket.send_json(strike(site, token, rng))
        until(socket, idle) if now["busy"] else None
    assert "wins the board" in now["end"]
    assert {stroke["seat"] for stroke in strokes} == {0, 2}
    answer = site.client.get(f"/games/{token}/replay.json.gz")
    file = tmp_path / "board.json.gz"
    file.write_bytes(answer.content)
    replay = load(file)
    assert verify(replay).equal
    assert len(replay.strokes) == len(strokes)
    assert sorted(replay.names.values()) == ["You", "random"]
    page = site.client.get(f"/games/{token}/replay.html")
    assert "attachment" in page.headers["content-disposition"]
    assert "default-src 'none'" in page.text


def test_who_comes_back_has_missed_nothing(site) -> None:
    token, rng = site.open(), np.random.default_rng(1)
    with site.socket(token) as socket:
        until(socket, idle)
        socket.send_json(strike(site, token, rng))
        # The connection is lost while the stroke is played.
    with site.socket(token) as socket:
        told = until(socket, idle)
        while not told["now"]["person"]:
            told = until(socket, idle)
    played = site.host.find(token).game.strokes
    assert len(played) >= 1
    with site.socket(token, 1) as socket:
        told = until(socket, idle)
        assert told["from"] == 1
        assert told["strokes"] == json.loads(json.dumps(played[1:]))
        assert told["now"]["number"] == len(played)
    # One who claims to have seen more than there is gets everything.
    with site.socket(token, 999) as socket:
        assert len(until(socket, idle)["strokes"]) == len(played)


def test_a_strike_sent_twice_is_played_once(site) -> None:
    token, rng = site.open(second="person"), np.random.default_rng(0)
    with site.socket(token) as socket, site.socket(token) as other:
        until(socket, idle)
        until(other, idle)
        wish = strike(site, token, rng)
        socket.send_json(wish)
        until(socket, lambda m: idle(m) and m["now"]["number"] == 1)
        # The page in the other window has heard of it, too.
        until(other, lambda m: idle(m) and m["now"]["number"] == 1)
        other.send_json(wish)
        refusal = until(other, lambda m: m["type"] == "error")
        assert "expected 1" in refusal["error"]
    assert len(site.host.find(token).game.strokes) == 1


def test_watched_players_strike_when_told(site) -> None:
    token = site.open(first="aimer", second="random")
    with site.socket(token) as socket:
        assert until(socket, idle)["now"]["number"] == 0
        for number in range(3):
            socket.send_json({"type": "go", "number": number})
            until(socket, lambda m, n=number + 1: idle(m) and m["now"]["number"] == n)
        socket.send_json({"type": "go", "number": 0})
        assert "expected 3" in until(socket, lambda m: m["type"] == "error")["error"]
        strike = {"type": "strike", "number": 3, "place": 0.0, "direction": 0.0, "speed": 1}
        socket.send_json(strike)
        assert "who computes" in until(socket, lambda m: m["type"] == "error")["error"]


NASTY = (
    "", "{", "null", "[[[[", "[" * 900, "[" * 5000, '{"type":"strike"}', '{"type":"go","number":0}',
    '{"type":"strike","number":0,"place":NaN,"direction":0,"speed":1}',
    '{"type":"strike","number":0,"place":0,"direction":1e999,"speed":1}',
    '{"type":"strike","number":0,"place":0.2,"direction":0,"speed":1}',
    '{"type":"strike","number":0,"place":0,"direction":0,"speed":0}',
    '{"type":"strike","number":7,"place":0,"direction":0,"speed":1}',
    '{"type":"__init__","number":0}', "x" * 60_000, "\u202e\u0000", b"\x00\xff", b"{}",
)  # fmt: skip


def test_nasty_messages_are_refused_one_by_one_and_the_game_lives(site) -> None:
    token, rng = site.open(), np.random.default_rng(0)
    with site.socket(token) as socket:
        before = until(socket, idle)["now"]
        for nasty in NASTY:
            (socket.send_bytes if isinstance(nasty, bytes) else socket.send_text)(nasty)
            refusal = until(socket, lambda m: m["type"] == "error")
            assert refusal["error"]
            assert "Traceback" not in refusal["error"]
            told = until(socket, idle)["now"]
            assert told == before
        socket.send_json(strike(site, token, rng))
        until(socket, lambda m: idle(m) and m["now"]["number"] >= 1)


def test_several_games_at_once_do_not_mix(site) -> None:
    tokens = [site.open(seed=seed, second="person") for seed in (1, 2, 3)]
    rng = np.random.default_rng(0)
    with ExitStack() as stack:
        sockets = [stack.enter_context(site.socket(token)) for token in tokens]
        for count in (1, 2, 3):
            for token, socket in zip(tokens, sockets, strict=True):
                socket.send_json(strike(site, token, rng))
            for socket in sockets:
                until(socket, lambda m, n=count: idle(m) and m["now"]["number"] == n)
    played = [json.dumps(site.host.find(token).game.strokes) for token in tokens]
    assert len(set(played)) == 3


def test_no_more_games_than_there_may_be_until_one_is_idle(site) -> None:
    tokens = [site.open() for _ in range(4)]
    refusal = site.client.post("/games", json=WISH)
    assert refusal.status_code == 400
    assert "4 games are open" in refusal.json()["error"]
    site.now[0] = 50.0
    assert site.client.get(f"/games/{tokens[0]}").status_code == 200
    site.now[0] = 120.0
    site.open()
    assert site.client.get(f"/games/{tokens[0]}").status_code == 200
    assert site.client.get(f"/games/{tokens[1]}").status_code == 404


def test_a_game_that_nobody_plays_gives_way_to_a_new_one(site) -> None:
    tokens = [site.open(second="person") for _ in range(4)]
    watched, *others = (site.host.find(token) for token in tokens)
    with site.socket(tokens[0]) as socket:
        until(socket, idle)
        for token in tokens[2:]:
            with site.socket(token) as page:
                until(page, idle)
        while any(hosted.connections for hosted in others):
            time.sleep(0.01)
        assert site.client.post("/games", json=WISH).status_code == 400
        site.now[0] = site.host.limits.arrival_s + 1
        site.open()
        assert [hosted.closed for hosted in others] == [True, False, False]
        assert site.client.post("/games", json=WISH).status_code == 400
        assert not watched.closed


def test_which_game_gives_way() -> None:
    def game(max_strokes: int | None = None) -> Game:
        return Game(GameSettings((None, None), ("a", "b"), max_strokes=max_strokes), {})

    limits, over = Limits(games=3), game(max_strokes=1)
    met = Hosted("met", game(), used_at=0.0, visited=True)
    unmet = Hosted("unmet", game(), used_at=10.0)
    for now in (0.0, limits.arrival_s):
        with pytest.raises(ConfigError, match="3 games are open"):
            giving_way([met, unmet], now, limits)
    assert giving_way([met, unmet], limits.arrival_s + 11, limits) is unmet
    late = limits.away_s + 1
    assert giving_way([met, unmet], late, limits) is met
    met.connections.add(lambda: None)
    assert giving_way([met, unmet], late, limits) is unmet
    over.strike(Flick(0, 0.0, 0.0, 4.0))
    ended = Hosted("ended", over, used_at=late, visited=True)
    assert giving_way([met, unmet, ended], late, limits) is ended
    ended.connections.add(lambda: None)
    assert giving_way([met, unmet, ended], late, limits) is unmet


def test_others_play_on_while_a_player_is_being_prepared() -> None:
    """Three games wait for one who takes long, more than there are threads."""
    ready, begun = threading.Event(), []

    def find(name: str):
        begun.append(name)
        assert ready.wait(10)
        return find_player("random")

    host = Host({**players(), "slow": SharedPlayer("slow", find)}, Limits(threads=2))
    with TestClient(application(host, preferred="random", called=["testserver"])) as client:
        site = Site(client, host, [])
        waiting = [site.open(second="slow", breaks="second") for _ in range(3)]
        token, rng = site.open(second="aimer"), np.random.default_rng(0)
        with site.socket(token) as socket:
            # The aimer has answered.
            while len(host.find(token).game.strokes) < 3:
                if until(socket, idle)["now"]["person"]:
                    socket.send_json(strike(site, token, rng))
        for token in waiting:
            game = host.find(token).game
            assert not game.over
            assert game.strokes == []
        ready.set()
        for token in waiting:
            with site.socket(token) as socket:
                told = until(socket, lambda m: idle(m) and (m["strokes"] or m["now"]["over"]))
                assert told["strokes"]
    assert begun == ["slow"]


def test_an_idle_game_says_goodbye(site) -> None:
    token = site.open()
    with site.socket(token) as socket:
        until(socket, idle)
        site.now[0] = 200.0
        assert until_closed(socket) == ([], GONE)
    with site.socket(token) as socket:
        (error,), code = until_closed(socket)
        assert "no such game" in error
        assert code == GONE


def test_too_many_messages_are_refused_and_then_cut_off(site) -> None:
    token = site.open()
    with site.socket(token) as socket:
        for _ in range(1200):
            socket.send_text("{}")
        errors, code = until_closed(socket)
        assert code not in (1000, 1011, GONE)
        assert "type = None" in errors[0]
        assert "too many messages" in errors[-1]
    with site.socket(token) as socket:
        until(socket, idle)


def test_a_huge_frame_is_cut_off_and_the_game_lives(running) -> None:
    """By the server as the program runs it, over a socket of its own."""
    headers = {"content-type": "application/json"}
    asked = Request(f"{running.address}/games", json.dumps(WISH).encode(), headers)
    with urlopen(asked, timeout=20) as answer:
        token = json.load(answer)["game"]
    address = f"{running.address.replace('http', 'ws')}/games/{token}/socket"
    with connect(address) as socket:
        assert json.loads(socket.recv(timeout=20))["now"]["number"] == 0
        socket.send("x" * 2_000_000)
        with pytest.raises(ConnectionClosed, match="1009"):
            list(socket)
    with connect(address) as socket:
        assert json.loads(socket.recv(timeout=20))["now"]["person"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://elsewhere.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://[::1"}, 403),
        ({"host": "elsewhere.example"}, 403),
        ({"host": "["}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"origin": "http://testserver"}, 200),
    ],
)
def test_other_sites_open_nothing_here(site, headers: dict[str, str], status: int) -> None:
    told = site.client.post(
        "/games", content=json.dumps(WISH), headers={"content-type": "application/json", **headers}
    )
    assert told.status_code == status


@pytest.mark.parametrize("headers", [{"origin": "http://elsewhere.example"}, {"host": "x.example"}])
def test_other_sites_reach_no_game(site, headers: dict[str, str]) -> None:
    token = site.open()
    with (
        pytest.raises(WebSocketDisconnect),
        site.client.websocket_connect(f"/games/{token}/socket", headers=headers),
    ):
        pass


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"", "JSON"),
        (b"\xff", "UTF-8"),
        (b"{}" * 5000, "at most"),
        (json.dumps(WISH | {"second": "nobody"}).encode(), "second = 'nobody'"),
        (json.dumps(WISH | {"noise": "loud"}).encode(), "noise = 'loud'"),
        (json.dumps(WISH | {"second": "../../etc"}).encode(), "second = "),
    ],
)
def test_bad_games_are_refused(site, body: bytes, complaint: str) -> None:
    headers = {"content-type": "application/json"}
    told = site.client.post("/games", content=body, headers=headers)
    assert 400 <= told.status_code < 500
    assert complaint in told.json()["error"]


@pytest.mark.parametrize(
    "path", ["/files/app.py", "/files/..%2fapp.py", "/games/x", "/games/x/replay.html", "/etc"]
)
def test_there_is_nothing_else(site, path: str) -> None:
    assert site.client.get(path).status_code == 404


def test_who_asks_for_a_game_that_is_gone_is_shown_the_way(site) -> None:
    page = site.client.get("/games/nosuch")
    assert page.status_code == 404
    assert page.headers["content-type"].startswith("text/html")
    assert "There is no such game" in page.text
    assert '<a href="/">' in page.text


def test_no_replay_before_the_first_stroke(site) -> None:
    answer = site.client.get(f"/games/{site.open()}/replay.json.gz")
    assert answer.status_code == 404
    assert "at least one stroke" in answer.text
