/* The states of a payment and what moves it from one to the next: `TRANSITIONS` of
 * apps/agent-gateway/src/ledger/payment-state.ts, event by event. A test compares the two. */
#define SETTLING 1
#define PENDING 2       /* settlement_pending */
#define NEEDS 3         /* needs_reconciliation */
#define SETTLED 4
#define FAILED 5        /* settlement_failed */

inline on_settled(s) {
  if
  :: (s == SETTLING || s == PENDING || s == NEEDS || s == FAILED) -> s = SETTLED
  :: else
  fi
}

inline on_refused(s) {
  if
  :: (s == SETTLING) -> s = FAILED
  :: else
  fi
}

inline on_unknown(s) {
  if
  :: (s == SETTLING) -> s = PENDING
  :: else
  fi
}

inline on_contested(s) {
  if
  :: (s == SETTLING || s == PENDING) -> s = NEEDS
  :: else
  fi
}

inline on_void(s) {
  if
  :: (s == PENDING || s == NEEDS) -> s = FAILED
  :: else
  fi
}
