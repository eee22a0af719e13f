#!/bin/sh
# Checks the payment protocol of docs/model exhaustively, with spin and gcc.
set -u
here=$(cd "${0%/*}" && pwd)
MODELS=$here/../../docs/model

help() {
  cat <<HELP
Checks the payment protocol of docs/model exhaustively, with spin and gcc: that its properties hold, and that each of
them fails when a rule is left out or a fault is planted. One line for each search; exit 1 when one is not as expected.

  npm run model
  npm run model -- --quick               seconds: the smallest searches
  npm run model -- --large               the searches of many million states too: up to an hour and 6 GB
  npm run model -- --only <name>         one search; may be given more than once
  npm run model -- --trace               print each counterexample that is found
HELP
}

# How much time a search takes, what it must find, its model, its name, and what is switched how: docs/model/README.md says what
# each switch means. What must fail shows that the model could find such a fault. RULES has one bit for each rule.
table() {
  COPIES='NX=2 NY=0 NC=2 NW=0'
  SINGLE='NX=1 NY=0 NC=2 NW=0'
  HARSH='STALE=1 EARLYOP=1 PRICE=1'
  cat <<TABLE
quick holds payment protocol $COPIES FAULTS=0 $HARSH
usual holds payment version-1-verify $COPIES FAULTS=0 $HARSH V2=0
quick holds payment no-chain-access $COPIES FAULTS=0 STALE=1 PRICE=1 RPC=0
large holds payment take-over-at-any-time $COPIES FAULTS=0 $HARSH TIMED=0
usual holds payment unclear-answers $COPIES FAULTS=0 $HARSH UNSURE=1
quick holds bound two-payments
quick holds batch many-nonces-in-one-transaction
quick holds batch many-nonces-and-a-slip-of-the-operator SLIPS=1
quick fails bound two-payments-wallet-row-missing UPSERT=0
quick fails bound two-payments-read-before-the-lock ONESTMT=1
usual fails payment without-unknown-after-a-failed-claim $COPIES FAULTS=1 RULES=4094 CHECK=5
usual fails payment without-look-up-while-the-circuit-is-open $COPIES FAULTS=1 RULES=4093 CHECK=5
quick fails payment without-refusal-only-while-settling $COPIES FAULTS=0 RULES=4091 CHECK=2 V2=0
usual fails payment without-reverted-decides-nothing $COPIES FAULTS=0 RULES=4087 CHECK=2 THIRD=0 CANCEL=0 V2=0
usual fails payment without-last-look $COPIES FAULTS=0 RULES=4079 CHECK=41
usual fails payment without-402-only-once-written $COPIES FAULTS=1 RULES=4063 CHECK=2 THIRD=0 CANCEL=0
usual fails payment without-unknown-after-a-failed-look-up $COPIES FAULTS=1 RULES=4031 CHECK=2
usual fails payment without-stored-answer-in-reconciliation $COPIES FAULTS=0 RULES=3967 CHECK=9
usual fails payment without-late-block $COPIES FAULTS=0 RULES=3839 CHECK=41 STALE=1
usual fails payment without-patient-operator $COPIES FAULTS=0 RULES=3583 CHECK=41 EARLYOP=1
usual fails payment without-look-up-before-our-own-terms $COPIES FAULTS=0 RULES=3071 CHECK=2 PRICE=1
quick fails payment without-its-own-transfer $COPIES FAULTS=0 RULES=2047 CHECK=1
quick fails batch many-nonces-without-their-own-transfers OWN=0
quick fails batch many-nonces-without-the-unique-key KEY=0 SLIPS=1
usual fails payment without-any-rule $COPIES FAULTS=1 RULES=0 CHECK=4
usual fails payment without-late-block-never-settled $COPIES FAULTS=1 RULES=3839 CHECK=42 STALE=1
quick fails payment planted-settled-twice $COPIES FAULTS=0 MUT=3 CHECK=1
usual fails payment planted-served-without-bound $COPIES FAULTS=0 MUT=2 CHECK=3 V2=0
usual fails payment planted-other-body-answered NX=1 NY=1 NC=2 NW=0 FAULTS=0 MUT=1 CHECK=6
quick fails payment planted-nobody-closes $SINGLE FAULTS=0 MUT=4 RPC=0
usual fails payment race-402-to-a-copy $COPIES FAULTS=0 $HARSH CHECK=22
usual fails payment race-502-to-a-copy $COPIES FAULTS=0 $HARSH CHECK=52
usual fails payment race-402-after-a-third-party $COPIES FAULTS=0 $HARSH CHECK=21
large holds payment one-fault $COPIES FAULTS=1 $HARSH
large holds payment one-fault-version-1-verify $COPIES FAULTS=1 $HARSH V2=0
large holds payment one-fault-no-chain-access $COPIES FAULTS=1 STALE=1 PRICE=1 RPC=0
large holds payment one-fault-other-body NX=1 NY=1 NC=2 NW=0 FAULTS=1 $HARSH
large holds payment two-faults-worker-settles NX=1 NY=0 NC=2 NW=1 FAULTS=2 $HARSH
TABLE
}

# How a state that was seen is stored: as it is, a third sooner; compressed, where there are many; as a hash of 64 bits, where there
# are more: one in billions may be taken for seen. Not optimized: the compiler would take minutes, and the search gain a tenth.
search() {
  size=$1 expected=$2 model=$3 name=$4
  shift 4
  case $size in
    quick) stored='' places=22 ;;
    usual) stored=-DCOLLAPSE places=24 ;;
    large) stored=-DHC4 places=26 ;;
  esac
  mkdir "$name" && cp "$MODELS"/*.pml "$name" && cd "$name" || exit 255
  switches=$(for switch; do printf ' -D%s' "$switch"; done)
  # shellcheck disable=SC2086 # each of them is several words
  spin -a $switches "$model.pml" >spin.log 2>&1 && gcc -w -DSAFETY $stored -DMEMLIM=6000 -o pan pan.c >gcc.log 2>&1 || {
    cat spin.log gcc.log >&2
    exit 255
  }
  ./pan -m200000 -w$places >pan.log 2>&1
  # A search that was cut short proves nothing.
  found=unfinished
  grep -q 'errors: 0$' pan.log && ! grep -Eq 'not completed|max search depth too small' pan.log && found=holds
  grep -q 'errors: [1-9]' pan.log && found=fails
  states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
  seconds=$(sed -n 's/.*elapsed time \([0-9.]*\) sec.*/\1/p' pan.log)
  printf '%-8s %-10s %11s %8s  %s\n' "$expected" "$found" "${states:--}" "${seconds:-0}" "$name"
  # shellcheck disable=SC2086 # each switch is a word
  [ "$TRACE$found" = 1fails ] && spin -t -T $switches "$model.pml" | sed '/trail ends/,$d; /^\(spin.*\| *\)$/d'
  [ "$found" = "$expected" ]
}

if [ "${1-}" = search ]; then
  shift
  search "$@"
  exit
fi

sizes='quick|usual' only='' TRACE=0
while [ $# -gt 0 ]; do
  case $1 in
    --help) help && exit ;;
    --quick) sizes=quick ;;
    --large) sizes='quick|usual|large' ;;
    --trace) TRACE=1 ;;
    --only) only="$only|${2-}" && shift ;;
    *) help >&2 && exit 2 ;;
  esac
  shift
done

missing=
for program in spin gcc; do command -v "$program" >/dev/null || missing="$missing $program"; done
if [ -n "$missing" ]; then
  echo "Missing:$missing. On Debian or Ubuntu: sudo apt-get install$missing. Elsewhere see https://spinroot.com; 6.5 is known to work." >&2
  exit 2
fi

wanted=$(table | if [ -n "$only" ]; then grep -E "^\S+ \S+ \S+ (${only#|})( |$)"; else grep -E "^($sizes) "; fi)
if [ -z "$wanted" ]; then echo "There is no search ${only#|}: choose from $(table | cut -d' ' -f4 | tr '\n' ' ')" >&2 && exit 2; fi
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 2
export TRACE
echo 'expected found           states  seconds  name'
wrong=0
echo "$wanted" | grep -v '^large' | xargs -r -P 2 -L 1 sh "$here/model.sh" search || wrong=1
# One after the other: each takes gigabytes.
echo "$wanted" | grep '^large' | xargs -r -L 1 sh "$here/model.sh" search || wrong=1
[ $wrong = 0 ] && echo "All $(echo "$wanted" | wc -l) are as expected." || echo 'Not all are as expected.'
exit $wrong
