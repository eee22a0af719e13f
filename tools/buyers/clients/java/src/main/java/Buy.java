import com.fasterxml.jackson.databind.ObjectMapper;
import evenkeel.ApiClient;
import evenkeel.ApiException;
import evenkeel.api.BeforeAndAfterPayingApi;
import evenkeel.api.PaidAnalysisApi;
import evenkeel.model.AgentAnalysisInput;
import evenkeel.model.AgentHabit;
import evenkeel.model.PaymentRequired;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;

/** Makes a paid call with the client that openapi-generator makes of the document. */
public class Buy {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("SELLER"));
    ObjectMapper json = client.getObjectMapper();
    PaidAnalysisApi paid = new PaidAnalysisApi(client);
    var habit = new AgentHabit().name("Read 20 minutes").completionRate(new BigDecimal("0.46")).currentStreak(0).bestStreak(12);
    var body = new AgentAnalysisInput().addHabitsItem(habit);

    Map<String, Object> said = new LinkedHashMap<>();
    try {
      paid.recommendHabitActions(body, null, null, null, null);
    } catch (ApiException unpaid) {
      said.put("price", json.readValue(unpaid.getResponseBody(), PaymentRequired.class).getPrice().getUsdExact());
    }
    var answer = paid.recommendHabitActions(body, null, System.getenv("PAYMENT"), null, null);
    said.put("habits", answer.getGeneratedForHabits());
    said.put("action", answer.getRecommendations().get(0).getAction());
    var status = new BeforeAndAfterPayingApi(client).getPaymentStatus(System.getenv("NONCE"), null);
    said.put("charged", status.getCharged());
    said.put("transaction", status.getTransaction());
    System.out.println(json.writeValueAsString(said));
  }
}
