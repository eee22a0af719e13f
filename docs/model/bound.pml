/* The bounded-unsettled rule for one wallet with two authorizations: each may be claimed, answered
 * with an unknown outcome, repeated, cancelled, transferred, resolved. Statement level: the wallet
 * lock and the reading of the wallet's other payments are separate statements (READ COMMITTED), or
 * one statement that reads with the snapshot taken before it waited for the lock (ONESTMT).
 * A fresh wallet has no wallet row: a lock on a missing row locks nothing unless UPSERT. */
#include "transitions.pml"
#ifndef UPSERT
#define UPSERT 1    /* 1: the wallet row is inserted first if it is not there */
#endif
#ifndef ONESTMT
#define ONESTMT 0   /* 1: lock and reading in one statement */
#endif
#ifndef RPC
#define RPC 1
#endif
#ifndef TRIES
#define TRIES 2     /* requests for each authorization: the first and its repeats, on any replica */
#endif
#define NA 2
byte st[NA], nonce[NA];        /* nonce 0 unused, 1 paid, 2 cancelled */
bit served[NA], vb;
bit wallet, locked;
byte given[NA];                /* ghost: answered 200 while not settled, once or more */

#define OTHER(a) (1 - (a))
#define BLOCKS(a) ((st[OTHER(a)] == PENDING || st[OTHER(a)] == NEEDS) || (st[OTHER(a)] == FAILED && served[OTHER(a)]))
#define LOST ((given[0] && nonce[0] != 1 && (nonce[0] == 2 || vb)) + (given[1] && nonce[1] != 1 && (nonce[1] == 2 || vb)))
#define OPENSERVED ((given[0] && st[0] != SETTLED) + (given[1] && st[1] != SETTLED))

inline check() {
  assert(!(LOST == 2));          /* I3: at most one served call of the wallet stays unpaid for ever */
  assert(!(OPENSERVED == 2))     /* stronger: never two unsettled served calls open at once */
}

proctype Request(byte a) {
  bit seen, got;
  if :: skip -> goto done :: skip fi;                      /* not sent */
  if
  :: atomic { st[a] == 0 && !vb && nonce[a] == 0 -> st[a] = SETTLING }
  :: atomic { st[a] == PENDING && !served[a] }
  :: goto done                                             /* any other answer: nothing given */
  fi;
  if
  :: atomic { nonce[a] == 0 && !vb -> nonce[a] = 1; on_settled(st[a]); goto done }                      /* settled, answered */
  :: atomic { nonce[a] == 0 && !vb -> nonce[a] = 1 }       /* transferred, the answer is lost */
  :: skip                                                  /* not executed (yet), no usable answer */
  :: goto done                                             /* the replica is killed */
  fi;
  /* the outcome is unknown */
  if
  :: UPSERT -> atomic { !locked -> locked = 1; wallet = 1; got = 1 }
  :: !UPSERT -> if :: atomic { wallet && !locked -> locked = 1; got = 1 } :: atomic { !wallet -> got = 0 } fi
  fi;
  seen = BLOCKS(a);
  if
  :: atomic { (st[a] == SETTLING || st[a] == PENDING) && !served[a] ->
       on_unknown(st[a]); if :: !seen -> served[a] = 1; given[a]++; check() :: seen fi; if :: got -> locked = 0 :: else fi }
  :: atomic { !((st[a] == SETTLING || st[a] == PENDING) && !served[a]) -> if :: got -> locked = 0 :: else fi }
  fi;
done: skip
}

/* lock and reading in one statement: the snapshot is older than the lock */
proctype Request1(byte a) {
  bit seen;
  if :: skip -> goto done :: skip fi;
  if
  :: atomic { st[a] == 0 && !vb && nonce[a] == 0 -> st[a] = SETTLING }
  :: atomic { st[a] == PENDING && !served[a] }
  :: goto done
  fi;
  if
  :: atomic { nonce[a] == 0 && !vb -> nonce[a] = 1 }
  :: skip
  fi;
  seen = BLOCKS(a);
  atomic { !locked -> locked = 1 };
  atomic { if :: (st[a] == SETTLING || st[a] == PENDING) && !served[a] ->
              on_unknown(st[a]); if :: !seen -> served[a] = 1; given[a]++; check() :: seen fi
           :: else fi; locked = 0 };
done: skip
}

active proctype World() {
end:
  do
  :: atomic { nonce[0] == 0 -> nonce[0] = 2; check() }
  :: atomic { nonce[1] == 0 -> nonce[1] = 2; check() }
  :: atomic { nonce[0] == 0 && !vb && st[0] != 0 -> nonce[0] = 1 }
  :: atomic { nonce[1] == 0 && !vb && st[1] != 0 -> nonce[1] = 1 }
  :: atomic { !vb -> vb = 1; check() }
  od
}

#define WORK(a) \
  :: atomic { st[a] == SETTLING -> on_unknown(st[a]) } \
  :: atomic { (RPC || vb) && (st[a] == PENDING || st[a] == NEEDS) && nonce[a] == 1 -> on_settled(st[a]); wallet = 1 } \
  :: atomic { (RPC || vb) && (st[a] == PENDING || st[a] == NEEDS) && (nonce[a] == 2 || (vb && nonce[a] == 0)) -> on_void(st[a]) } \
  :: atomic { st[a] == PENDING && nonce[a] != 0 -> on_contested(st[a]) }
active proctype Worker() {
end:
  do
  WORK(0)
  WORK(1)
  od
}

init {
  byte i = 0;
  atomic {
    do
    :: i < TRIES -> if :: ONESTMT -> run Request1(0); run Request1(1) :: else -> run Request(0); run Request(1) fi; i++
    :: else -> break
    od
  }
}
