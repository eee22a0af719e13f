"""Makes a paid call with the client that openapi-python-client makes of the document."""

import json
import os

from evenkeel_client import Client
from evenkeel_client.api.before_and_after_paying import get_payment_status
from evenkeel_client.api.paid_analysis import recommend_habit_actions
from evenkeel_client.models import AgentAnalysisInput, AgentHabit, AgentRecommendResult, PaymentRequired, PaymentStatus

client = Client(base_url=os.environ["SELLER"])
habit = AgentHabit(name="Read 20 minutes", completion_rate=0.46, current_streak=0, best_streak=12)
body = AgentAnalysisInput(habits=[habit])

unpaid = recommend_habit_actions.sync(client=client, body=body)
assert isinstance(unpaid, PaymentRequired), unpaid
answer = recommend_habit_actions.sync(client=client, body=body, payment_signature=os.environ["PAYMENT"])
assert isinstance(answer, AgentRecommendResult), answer
status = get_payment_status.sync(os.environ["NONCE"], client=client)
assert isinstance(status, PaymentStatus), status
said = {
    "price": unpaid.price.usd_exact,
    "habits": answer.generated_for_habits,
    "action": answer.recommendations[0].action,
    "charged": status.charged,
    "transaction": status.transaction,
}
print(json.dumps(said))
