"""Keeps a habit with the client that openapi-python-client makes of the document, and follows its changes to the end."""

import datetime
import json
import os
import uuid

from evenkeel_client import AuthenticatedClient, Client
from evenkeel_client.api.analysis import show_today
from evenkeel_client.api.habits import change_log, create_habit, delete_habit, delete_log, list_changes, log_habit
from evenkeel_client.api.sign_in import register
from evenkeel_client.models import (
    ChangeLogBody,
    ChangesView,
    CreateHabitBody,
    ErrorBody,
    HabitView,
    LogBody,
    LogBodyStatus,
    LogView,
    RegisterBody,
    SignedInView,
    TodayView,
)

base_url = os.environ["SELLER"]
account = RegisterBody(email=f"{uuid.uuid4()}@example.com", password="seven quiet otters")
signed_in = register.sync(client=Client(base_url=base_url), body=account)
assert isinstance(signed_in, SignedInView), signed_in
client = AuthenticatedClient(base_url=base_url, token=signed_in.access_token)

client_id = uuid.uuid4()
habit = create_habit.sync(client=client, body=CreateHabitBody(name="Morning run", client_id=client_id, color="#2e7d32"))
assert isinstance(habit, HabitView) and habit.client_id == client_id, habit
now = datetime.datetime.now(datetime.timezone.utc)
body = LogBody(occurred_at=now, status=LogBodyStatus.COMPLETED, client_id=uuid.uuid4(), context_tags=["park"])
log = log_habit.sync(habit.id, client=client, body=body)
assert isinstance(log, LogView) and log.client_id == body.client_id, log
today = show_today.sync(client=client)
assert isinstance(today, TodayView) and today.habits[0].habit_id == habit.id, today

note = ChangeLogBody(note="fog")
changed = change_log.sync(habit.id, log.id, client=client, body=note, if_match=f'"{log.updated_at.isoformat()}"')
assert isinstance(changed, LogView) and changed.note == "fog" and changed.updated_at > log.updated_at, changed
stale = change_log.sync(habit.id, log.id, client=client, body=note, if_match=f'"{log.updated_at.isoformat()}"')
assert isinstance(stale, ErrorBody) and stale.error == "precondition_failed", stale

before = list_changes.sync(client=client)
assert isinstance(before, ChangesView) and [one.id for one in before.logs] == [log.id], before
delete_log.sync_detailed(habit.id, log.id, client=client)
delete_habit.sync_detailed(habit.id, client=client)
after = list_changes.sync(client=client, cursor=before.next_cursor)
assert isinstance(after, ChangesView), after
deleted = [[one.kind.value, str(one.client_id)] for one in after.deleted]
assert deleted == [["log", str(body.client_id)], ["habit", str(client_id)]], deleted
print(json.dumps({"deleted": deleted, "more": after.more}))
