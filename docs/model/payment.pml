/* One payment authorization (payer, nonce) of the agent gateway: identical requests X, another
 * request Y with the same authorization, two replicas with in-process join, PostgreSQL, the
 * facilitator, the chain, the worker and the operator. See README.md for switches, bounds and results. */
#include "transitions.pml"

#ifndef NX
#define NX 2            /* identical requests (first one included) */
#endif
#ifndef NY
#define NY 1            /* requests with another body */
#endif
#ifndef NC
#define NC 3            /* settle calls in all, worker included */
#endif
#ifndef NW
#define NW 1            /* settle calls of the worker */
#endif
#ifndef FAULTS
#define FAULTS 1        /* faults in all: failing or unanswered statement, kill of a replica, settle circuit open */
#endif
#ifndef V2
#define V2 1            /* 1: version 2 verify (sees used and cancelled), 0: version 1 */
#endif
#ifndef RPC
#define RPC 1           /* X402_RPC_URL set */
#endif
#ifndef TIMED
#define TIMED 1         /* 1: a settling row is taken over only without a live holder; 0: at any time */
#endif
#ifndef CANCEL
#define CANCEL 1        /* the payer may cancel */
#endif
#ifndef THIRD
#define THIRD 1         /* a third party or the payer may submit the authorization */
#endif
#ifndef STALE
#define STALE 0         /* the chain reading may come from a node that lags behind */
#endif
#ifndef EARLYOP
#define EARLYOP 0       /* the operator may close a row as failed while the authorization is valid */
#endif
#ifndef UNSURE
#define UNSURE 0        /* a settle answer may decide nothing */
#endif
#ifndef PRICE
#define PRICE 0         /* price or recipient may change between two requests */
#endif
#ifndef CHECK
#define CHECK 0         /* 0: all properties but the races; else one property */
#endif

#ifndef MUT
#define MUT 0           /* planted fault, to see each check fail: 1 fingerprint not compared, 2 every unknown served,
                           3 settled recorded without a guard, 4 no operator */
#endif

/* rules of the protocol that are easily left out, one bit each (README.md) */
#ifndef RULES
#define RULES 4095
#endif
#define R(n) ((RULES >> (n)) & 1)
#define R_CLAIM    R(0)  /* claim failed: 502 settlement_unknown, not ..._verification_unavailable */
#define R_CIRCUIT  R(1)  /* settle circuit open: look the row up first */
#define R_REFUSE   R(2)  /* a refusal decides only while the row is settling */
#define R_REVERT   R(3)  /* a reverted transaction does not decide: needs_reconciliation */
#define R_LASTLOOK R(4)  /* refused rows: one more chain reading after validBefore (or operator with a hash) */
#define R_WRITE402 R(5)  /* 402 settlement_failed only after the row is written */
#define R_EXPIRED  R(6)  /* expired and the look-up fails: 502 settlement_unknown */
#define R_SERVEDNR R(7)  /* needs_reconciliation that was served: the stored answer */
#define R_BLOCK    R(8)  /* "unused" counts only at a block after validBefore */
#define R_OPERATOR R(9)  /* the operator's "failed" only after validBefore or when cancelled */
#define R_OWN      R(11) /* only the transfer right behind the use of the nonce counts, not any other of its transaction */
#define R_PRICE    R(10) /* look-up before every 402 of section 4 that needs our own settings */

#define USE(n) ((CHECK == 0) || (CHECK == (n)))
#define AS(n, c) if :: (USE(n) && !(c)) -> assert(false) :: else fi
#define RACE(n, c) if :: ((CHECK == (n)) && !(c)) -> assert(false) :: else fi

#define NH (NX + NY)

/* chain */
#define UNUSED 0
#define PAID 1
#define CANCELLED 2
#define BATCHED 3       /* spent without a transfer to us, in a transaction that pays us the price for another nonce */
byte nonce = UNUSED;
bit byUs, vb, vb10;

/* row */
bit rEx, rFp, rServed, rPend, refusedRow, looked;
byte rSt, rHold;
byte lateIns;

/* settle calls: facilitator side and the answer as the gateway sees it */
#define SENT 1
#define TX 2
#define DONE 3          /* mined, the transfer happened */
#define REV 4           /* mined, reverted */
#define DEAD 5          /* no transaction will come of it any more */
#define SUCCESS 1
#define REFUSED 2
#define REVERTED 3
#define APENDING 4
#define USED 5
#define ERR 6           /* lost, late beyond 10 s, unparsable */
#define UNCLEAR 7       /* an answer that decides nothing: never served */
byte fs[NC], ca[NC];
bit cFirst[NC], cNew[NC];
byte nc, wcall, nw;

/* replicas and requests */
byte infl[2], bgc[2], hr[NH], ans[NH];
bit act[NH], killed[NH], fin[NH], pre[NH], saw402[NH];
byte faults = FAULTS;
bit calm;

/* ghosts */
bit settleCalled, told402row[2], told402none[2], got200[2];
#if CHECK == 52
bit toldPvu[2], sawPvu[NH];
#endif
byte nsettled;

#define MINE (rFp == fp || MUT == 1)
#define A200 1
#define A200P 2
#define A402REJ 3
#define A402FAIL 4
#define A402USED 5
#define A402EXP 6
#define A429 7
#define A500 8
#define PVU 9
#define UNK 10

inline answer(h, fp, code) {
  ans[h] = code;
  printf("%c%d: answer %d (1=200 2=200-pending 3..6=402 rejected,failed,used,expired 7=429 8=500 9=502-verification-unavailable 10=502-settlement-unknown); row %d\n", 'X' + fp, h, code, rSt);
  if
  :: (code == A200 || code == A200P) ->
     got200[fp] = 1;
     AS(3, nonce == PAID || (rServed && V2));              /* I3 */
     AS(3, !(code == A200 && rSt == SETTLED) || nonce == PAID);
     AS(6, !(got200[0] && got200[1]))                      /* I6 */
  :: (code == A402REJ || code == A402FAIL || code == A402EXP || (code == A402USED && rEx && rFp == fp)) ->
     AS(2, !(nonce == PAID && byUs && rEx && rFp == fp));  /* I2: it has happened */
     RACE(21, !(nonce == PAID && !byUs && rEx && rFp == fp && settleCalled)); /* I2 for a third party's transfer */
     if :: (rEx && rFp == fp) -> told402row[fp] = 1 :: else -> told402none[fp] = 1 fi
  :: (code == PVU) ->
     AS(5, !pre[h]);                                       /* I5: settle was called before this request came */
     RACE(51, !settleCalled)                               /* the same at the moment of the look-up */
#if CHECK == 52
     ; toldPvu[fp] = 1
#endif
  :: else
  fi;
  if :: (infl[hr[h]] == h + 1) -> infl[hr[h]] = 0 :: else fi
}

inline becomeSettled() {
  if
  :: (rSt != SETTLED || MUT == 3) -> on_settled(rSt); nsettled++; printf("  row settled\n"); AS(1, nonce == PAID && nsettled == 1)
  :: else
  fi;
  rHold = 0
}

/* the state change that an answer to settle call k causes */
inline apply(k, o) {
  printf("  outcome of call %d: %d (1=success 2=refused 3=reverted 4=pending 5=nonce used 6=none 7=unclear)\n", k, o);
  if
  :: (o == SUCCESS) -> becomeSettled()
  :: (o == REFUSED && cFirst[k]) ->
     if
     :: (rSt == SETTLING) -> refusedRow = 1; on_refused(rSt)
     :: (!R_REFUSE && rSt == PENDING) -> refusedRow = 1; rSt = FAILED
     :: else
     fi
  :: (o == REVERTED && !R_REVERT) -> if :: (rSt != SETTLED && rSt != FAILED) -> refusedRow = 1; rSt = FAILED :: else fi
  :: (o == USED || (o == REVERTED && R_REVERT)) -> on_contested(rSt)
  :: (o == APENDING) -> on_unknown(rSt); if :: (rSt == PENDING) -> rPend = 1 :: else fi
  :: (o == ERR || o == UNCLEAR || (o == REFUSED && !cFirst[k])) -> on_unknown(rSt)
  fi;
  rHold = 0
}

/* apply the outcome in one transaction and choose the answer from the row */
inline resolve(k, o) {
  apply(k, o);
  if
  :: (rSt == SETTLED) -> rServed = 1; out = A200
  :: (rSt == FAILED) -> out = A402FAIL
  :: (rSt == NEEDS) -> if :: (rServed && R_SERVEDNR) -> out = A200P :: else -> out = UNK fi
  :: (rSt == PENDING || rSt == SETTLING) ->
     if
     :: rServed -> out = A200P
     :: (!rServed && ((V2 && (o == ERR || o == APENDING)) || MUT == 2)) -> rServed = 1; out = A200P
     :: else -> out = UNK
     fi
  fi
}

proctype Request(byte h; bit fp) {
  byte r, k, o, out;
  bit owner, again;
  {
    if
    :: skip -> goto done                                  /* not sent */
    :: atomic { !calm -> if :: (h > 0) -> r = 0 :: (h > 0) -> r = 1 :: (h == 0) -> r = 0 fi;
         printf("%c%d arrives at replica %d\n", 'X' + fp, h, r);
         hr[h] = r; act[h] = 1; pre[h] = settleCalled;
         saw402[h] = (told402none[fp] && !rEx);
#if CHECK == 52
         sawPvu[h] = toldPvu[fp];
#endif
         skip }
    fi;
    /* section 4 and join */
    atomic {
      if
      :: vb -> goto expired
      :: !vb && PRICE && h > 0 -> if :: R_PRICE -> goto expired :: !R_PRICE -> answer(h, fp, A402EXP); goto done fi
      :: !vb
      fi;
      if
      :: (fp == 0 && infl[r] != 0) -> k = infl[r]
      :: (fp == 0 && infl[r] == 0) -> infl[r] = h + 1; goto verify
      :: else -> goto verify
      fi
    };
    if
    :: atomic { ans[k - 1] != 0 ->
         if
         :: (ans[k - 1] == A402REJ || ans[k - 1] == A402EXP) ->   /* decided before, without a row: a race if one is there now */
            ans[h] = ans[k - 1]; told402none[fp] = 1
         :: else -> answer(h, fp, ans[k - 1])
         fi; goto done }
    :: atomic { answer(h, fp, A429); goto done }
    fi;

verify:
    if
    :: atomic { !vb && (nonce == UNUSED || !V2) ->
         if :: skip :: answer(h, fp, A429); goto done :: answer(h, fp, A500); goto done fi }   /* I8 */
    :: atomic { o = REFUSED; goto lookup }
    :: atomic { o = ERR; goto lookup }
    fi;

    /* claim */
    if
    :: atomic { faults > 0 -> faults--; printf("  settle circuit open\n");
         if :: R_CIRCUIT -> o = ERR; goto lookup :: !R_CIRCUIT -> answer(h, fp, PVU); goto done fi }
    :: atomic { rEx -> goto row }
    :: atomic { !rEx -> rEx = 1; rFp = fp; rSt = SETTLING; rHold = h + 1 }
    :: atomic { faults > 0 -> faults--; printf("  %c%d: claim fails or is not answered\n", 'X' + fp, h);
         if
         :: skip                                           /* not written */
         :: !rEx -> rEx = 1; rFp = fp; rSt = SETTLING      /* written, the answer of the database is lost */
         :: !rEx && lateIns == 0 -> lateIns = fp + 1       /* written later */
         fi;
         if :: R_CLAIM -> answer(h, fp, UNK) :: !R_CLAIM -> answer(h, fp, PVU) fi; goto done }
    fi;

    /* first settle */
    atomic { nc < NC -> k = nc; nc++; fs[k] = SENT; cFirst[k] = 1; cNew[k] = saw402[h]; settleCalled = 1; bgc[r] = k + 1; owner = 1;
#if CHECK == 52
      assert(!(toldPvu[fp] && !sawPvu[h]));               /* a copy sent before that 502 goes on to settle */
#endif
      printf("  %c%d calls settle, call %d\n", 'X' + fp, h, k) };
    goto await;

expired:
    atomic {
      if
      :: rEx -> goto row
      :: !rEx -> answer(h, fp, A402EXP); goto done
      :: faults > 0 -> faults--; if :: R_EXPIRED -> answer(h, fp, UNK) :: !R_EXPIRED -> answer(h, fp, A402EXP) fi; goto done
      fi
    };
lookup:
    atomic {
      if
      :: rEx -> goto row
      :: !rEx && o == REFUSED -> answer(h, fp, A402REJ); goto done
      :: !rEx && o == ERR -> answer(h, fp, PVU); goto done
      :: faults > 0 -> faults--; printf("  look-up fails\n"); answer(h, fp, UNK); goto done
      fi
    };

row: /* section 7 */
    atomic {
      if
      :: (!MINE) -> answer(h, fp, A402USED); goto done
      :: (MINE && rSt == SETTLED) -> rServed = 1; answer(h, fp, A200); goto done
      :: (MINE && rSt == PENDING && rServed) -> answer(h, fp, A200P); goto done
      :: (MINE && rSt == NEEDS) ->
         AS(9, !got200[fp] || R_SERVEDNR);                /* I9: answered before, the window is open */
         if :: (rServed && R_SERVEDNR) -> answer(h, fp, A200P) :: else -> answer(h, fp, UNK) fi; goto done
      :: (MINE && rSt == FAILED) -> answer(h, fp, A402FAIL); goto done
      :: (MINE && rSt == SETTLING) -> goto wait
      :: (MINE && rSt == PENDING && !rServed) -> skip
      fi
    };
    /* settle again with the same bytes */
    if
    :: atomic { faults > 0 -> faults--; printf("  settle circuit open\n"); if :: R_CIRCUIT -> answer(h, fp, UNK) :: !R_CIRCUIT -> answer(h, fp, PVU) fi; goto done }
    :: atomic { (bgc[r] != 0) -> k = bgc[r] - 1; owner = 0 }
    :: atomic { (bgc[r] == 0 && nc < NC) -> k = nc; nc++; fs[k] = SENT; cNew[k] = 0; settleCalled = 1; bgc[r] = k + 1; owner = 1; printf("  %c%d settles again, call %d\n", 'X' + fp, h, k) }
    :: atomic { (bgc[r] == 0 && nc == NC) -> answer(h, fp, UNK); goto done }
    fi;
    goto await;
wait:
    if
    :: atomic { rSt != SETTLING -> goto row }
    :: atomic { answer(h, fp, A429); goto done }
    fi;

await:
    if
    :: atomic { ca[k] != 0 -> o = ca[k]; if :: owner -> bgc[r] = 0; owner = 0 :: else fi }
    :: o = ERR; printf("  %c%d: 4.8 s are over\n", 'X' + fp, h)                                      /* 4.8 s are over, the call runs on */
    fi;
    if
    :: atomic { resolve(k, o); answer(h, fp, out) }
    :: atomic { faults > 0 -> faults--; again = 1; printf("  %c%d: result write fails or is not answered\n", 'X' + fp, h);
         if
         :: rHold = 0                                      /* not written */
         :: resolve(k, o)                                  /* written, the answer of the database is lost */
         fi;
         if
         :: (!R_WRITE402 && ((o == REFUSED && cFirst[k]) || (o == REVERTED && !R_REVERT))) -> answer(h, fp, A402FAIL)
         :: else -> answer(h, fp, UNK)
         fi }
    fi;
    /* in the background: the write again until it is committed, the call to 10 s */
    do
    :: atomic { again -> again = 0; apply(k, o) }
    :: atomic { owner && ca[k] != 0 -> owner = 0; bgc[r] = 0; if :: apply(k, ca[k]) :: faults > 0 -> faults-- fi }
    :: atomic { !owner && !again -> break }
    od;
done: skip
  } unless { killed[h] };
  atomic { fin[h] = 1; act[h] = 0; pre[h] = 0; saw402[h] = 0; hr[h] = 0; r = 0; k = 0; o = 0; out = 0; owner = 0; again = 0 }
}

inline pays(k) {
  nonce = PAID; byUs = 1; fs[k] = DONE; printf("  chain: transfer by call %d\n", k);
  AS(2, !told402row[rFp]);                                 /* I2: it may still happen */
  RACE(22, !(told402none[rFp] && !cNew[k]))                /* the same, copies in flight at once */
}

/* what a settle call may do at the facilitator and on the chain */
#define CALL(c) \
  :: d_step { (fs[c] == SENT && ca[c] == 0 && !vb && nonce != UNUSED) -> fs[c] = DEAD; ca[c] = USED } \
  :: d_step { (fs[c] == SENT && ca[c] == 0) -> fs[c] = DEAD; ca[c] = REFUSED } /* balance, sanctions, expired */ \
  :: d_step { (fs[c] == SENT) -> fs[c] = DEAD }                                /* lost on the way */ \
  :: d_step { (fs[c] == SENT && !vb) -> fs[c] = TX } \
  :: atomic { (fs[c] == TX && nonce == UNUSED && !vb) -> pays(c) } \
  :: d_step { (fs[c] == TX) -> fs[c] = REV; printf("  chain: transaction of call %d reverts\n", c) } \
  :: d_step { (fs[c] == DONE && ca[c] == 0) -> ca[c] = SUCCESS } \
  :: d_step { (fs[c] == REV && ca[c] == 0) -> ca[c] = REVERTED } \
  :: d_step { (fs[c] == TX && ca[c] == 0) -> ca[c] = APENDING } \
  :: d_step { (fs[c] != 0 && ca[c] == 0) -> ca[c] = ERR } \
  :: d_step { (UNSURE && fs[c] != 0 && ca[c] == 0) -> ca[c] = UNCLEAR }

#define OPEN(c) (fs[c] != 0 && ca[c] == 0)
#if NC == 1
#define ANSWERED (!OPEN(0))
#elif NC == 2
#define ANSWERED (!OPEN(0) && !OPEN(1))
#elif NC == 3
#define ANSWERED (!OPEN(0) && !OPEN(1) && !OPEN(2))
#else
#define ANSWERED (!OPEN(0) && !OPEN(1) && !OPEN(2) && !OPEN(3))
#endif

/* facilitator, chain, payer, third party, time, crashes */
active proctype World() {
  byte i;
end:
  do
  CALL(0)
#if NC > 1
  CALL(1)
#endif
#if NC > 2
  CALL(2)
#endif
#if NC > 3
  CALL(3)
#endif
  :: atomic { CANCEL && nonce == UNUSED && !calm -> nonce = CANCELLED; printf("  chain: cancelled\n") }
  :: atomic { THIRD && nonce == UNUSED && !vb && !calm -> nonce = PAID; printf("  chain: transfer by a third party\n") }
  :: atomic { THIRD && nonce == UNUSED && !vb && !calm -> nonce = BATCHED; printf("  chain: spent beside a transfer for another nonce\n") }
  :: atomic { !vb -> vb = 1; printf("  validBefore passes\n") }
  :: atomic { vb && !vb10 && ANSWERED -> vb10 = 1 }
  :: atomic { lateIns != 0 -> if :: !rEx -> rEx = 1; rFp = lateIns - 1; rSt = SETTLING :: else fi; lateIns = 0 }
  :: atomic { faults > 0 && !calm -> faults--; printf("  a replica is killed\n");
       if :: i = 0 :: i = 1 fi;
       infl[i] = 0; bgc[i] = 0;
       byte j = 0;
       do
       :: j < NH -> if :: (act[j] && hr[j] == i) -> killed[j] = 1; if :: rHold == j + 1 -> rHold = 0 :: else fi :: else fi; j++
       :: else -> break
       od; i = 0; j = 0 }
  od
}

/* what whoever reads the chain takes for a transfer to us, and for one that can never come */
#define SEEN_PAID (nonce == PAID || (nonce == BATCHED && !R_OWN))
#define SEEN_VOID (nonce == CANCELLED || (nonce == BATCHED && R_OWN))

active proctype Worker() {
end:
  do
  :: atomic { rEx && rSt == SETTLING && (rHold == 0 || !TIMED) -> on_unknown(rSt); printf("  worker: takes the settling row over\n") }
  :: atomic { rSt == PENDING && (rServed || rPend) && !vb && wcall == 0 && nc < NC && nw < NW ->
       nw++; printf("  worker: settles again, call %d\n", nc); fs[nc] = SENT; nc++; wcall = nc }
  :: atomic { wcall != 0 && ca[wcall - 1] != 0 -> apply(wcall - 1, ca[wcall - 1]); wcall = 0 }
  :: atomic { RPC && (rSt == PENDING || rSt == NEEDS) && SEEN_PAID -> becomeSettled() }
  :: atomic { RPC && (rSt == PENDING || rSt == NEEDS) && SEEN_VOID -> on_void(rSt) }
  :: atomic { RPC && (rSt == PENDING || rSt == NEEDS) && vb10 && (nonce == UNUSED || (STALE && !R_BLOCK)) -> on_void(rSt) }
  :: atomic { V2 && rSt == PENDING && !rServed && !vb && nonce != UNUSED -> on_contested(rSt) }   /* verify as a probe */
  :: atomic { rSt == PENDING && vb10 -> on_contested(rSt) }                     /* 24 h later, and the chain cannot be read */
  :: atomic { MUT != 4 && (rSt == PENDING || rSt == NEEDS) && SEEN_PAID && (vb10 || EARLYOP) -> becomeSettled() }   /* operator, with the hash */
  :: atomic { MUT != 4 && (rSt == PENDING || rSt == NEEDS) && !SEEN_PAID && (vb10 || (EARLYOP && (!R_OPERATOR || SEEN_VOID))) -> on_void(rSt) }
  :: atomic { R_LASTLOOK && rSt == FAILED && refusedRow && !looked && vb10 -> looked = 1;
       if :: SEEN_PAID -> becomeSettled() :: else fi }
  od
}

/* faults end, time passes, every doubt must end */
active proctype Finish() {
  byte i;
  atomic {
    i = 0;
    do :: i < NX -> run Request(i, 0); i++ :: else -> break od;
    do :: i < NH -> run Request(i, 1); i++ :: else -> break od
  };
  i = 0;
  do
  :: i < NH -> fin[i] == 1; i++
  :: else -> break
  od;
  calm = 1;
  lateIns == 0;
  vb10 && (!rEx || rSt == SETTLED || rSt == FAILED);       /* I7: else an invalid end state */
  i = 0;
  do
  :: i < NC -> (fs[i] != SENT && fs[i] != TX); i++
  :: else -> break
  od;
  (!R_LASTLOOK || !rEx || rSt != FAILED || !refusedRow || looked);
  atomic {
    AS(4, !(rEx && nonce == PAID && byUs) || rSt == SETTLED);        /* I4 */
    AS(41, !(rEx && nonce == PAID && !byUs && settleCalled) || rSt == SETTLED); /* I4 for a third party's transfer */
    AS(42, !(rEx && nonce == PAID && !byUs && !settleCalled) || rSt == SETTLED)
  }
}
