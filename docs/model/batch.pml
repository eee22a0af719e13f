/* Payments of one wallet whose nonces are spent by few transactions: each of them with a transfer of the price to us, or
 * with another one of its own, and perhaps a transfer of the price without a nonce beside them. Several readers (workers of
 * two replicas, an operator) settle each payment by a transfer of the transaction that spent its nonce. */
#ifndef OWN
#define OWN 1       /* 1: only the transfer right behind the use of the nonce; 0: any transfer of the price in its transaction */
#endif
#ifndef KEY
#define KEY 1       /* 1: a transfer pays one payment, by a unique key */
#endif
#ifndef SLIPS
#define SLIPS 0     /* 1: an operator without the chain may name the transfer of another nonce of the transaction */
#endif
#define N 3
#define T 2         /* transactions */
#define NONE 255
byte tx[N];         /* the transaction that spent the nonce, from 1; 0: none yet */
bit own[N];         /* its own transfer moved the price to us */
bit plain[T];       /* the transaction moves the price to us once more, without a nonce */
byte by[N];         /* the transfer that settled the payment: that of nonce 0 to N - 1, or N + transaction; NONE: open */
bit taken[N + T];   /* the unique key */
byte reading;

/* Settles by one transfer: one statement, as the key and the state of the payment commit together. */
inline settle(p, t) {
  if
  :: (by[p] == NONE && (!KEY || !taken[t])) -> by[p] = t; taken[t] = 1; printf("payment %d settled by transfer %d\n", p, t)
  :: else
  fi
}

proctype Reader(byte p; bit slips) {
  byte t;
  atomic {
  (tx[p] != 0);
  if
  :: own[p] -> t = p
  :: (!OWN || slips) -> select(t : 0 .. N - 1); if :: (own[t] && tx[t] == tx[p]) :: else -> goto done fi
  :: (!OWN && plain[tx[p] - 1]) -> t = N + tx[p] - 1
  :: (!own[p]) -> goto done                            /* spent elsewhere */
  fi;
  settle(p, t);
done: reading--; t = 0
  }
}

init {
  byte i, j;
  atomic {
    for (i : 0 .. N - 1) { by[i] = NONE; if :: own[i] = 1 :: skip fi; run Reader(i, 0); run Reader(i, 0); reading = reading + 2 };
    if :: SLIPS -> run Reader(0, 1); reading++ :: else fi;
    for (i : 0 .. T - 1) { if :: plain[i] = 1 :: skip fi }
  };
  i = 0;
  do
  :: atomic { i < N -> if :: tx[i] = 1 :: tx[i] = 2 fi; i++ }
  :: atomic { i == N -> break }
  od;
  (reading == 0);
  atomic {
    for (i : 0 .. N - 1) {
      assert(SLIPS || !own[i] || by[i] == i);             /* each nonce with a transfer of its own settles, by that one */
      assert(SLIPS || own[i] || by[i] == NONE);           /* and no other does */
      for (j : 0 .. N - 1) { assert(i == j || by[i] == NONE || by[i] != by[j]) }
    }
  }
}
