// Makes a paid call with the client that oapi-codegen makes of the document.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"clients/evenkeel"
)

func main() {
	ctx := context.Background()
	client := must(evenkeel.NewClientWithResponses(os.Getenv("SELLER")))
	body := evenkeel.AgentAnalysisInput{
		Habits: []evenkeel.AgentHabit{{Name: "Read 20 minutes", CompletionRate: 0.46, CurrentStreak: 0, BestStreak: 12}},
	}
	unpaid := must(client.RecommendHabitActionsWithResponse(ctx, nil, body))
	payment := os.Getenv("PAYMENT")
	params := evenkeel.RecommendHabitActionsParams{PAYMENTSIGNATURE: &payment}
	paid := must(client.RecommendHabitActionsWithResponse(ctx, &params, body))
	status := must(client.GetPaymentStatusWithResponse(ctx, os.Getenv("NONCE"), nil))

	fmt.Println(string(must(json.Marshal(map[string]any{
		"price":       unpaid.JSON402.Price.UsdExact,
		"habits":      paid.JSON200.GeneratedForHabits,
		"action":      paid.JSON200.Recommendations[0].Action,
		"charged":     *status.JSON200.Charged,
		"transaction": *status.JSON200.Transaction,
	}))))
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}
