#!/bin/sh
# The agent of a chaos stage as a program: folder, behaviour, times, milliseconds. It writes down each life's beginning and end, and tells when
# another life of its job still runs beside it.
folder=$1 behaviour=$2 times=$3
seconds=$(printf '%d.%03d' $(($4 / 1000)) $(($4 % 1000)))

write() { # ledger, words
  ledger=$1
  shift
  printf '%s\n' "$*" >>"$folder/$ledger.ledger"
}

mine=$folder/lives/$MUSTER_JOB_ID
mkdir -p "$folder/lives"
if [ -r "$mine" ]; then
  other=$(cat "$mine")
  if tr '\0' '\n' 2>/dev/null <"/proc/$other/environ" | grep -qx "MUSTER_JOB_ID=$MUSTER_JOB_ID"; then
    case $(cut -d' ' -f3 "/proc/$other/stat" 2>/dev/null) in
    '' | Z | X) ;;
    *) write broken "two lives of $MUSTER_JOB_ID: $other and $$" ;;
    esac
  fi
fi
echo $$ >"$mine"
write work start "$MUSTER_JOB_ID" "$MUSTER_INCARNATION" "$MUSTER_ATTEMPT" $$
echo started

linger() { # for a few minutes, if nobody ends it
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 10; done
}

[ "$behaviour" = hopeless ] && exit 65
if [ "$MUSTER_ATTEMPT" -le "$times" ]; then
  case $behaviour in
  flaky) exit 1 ;;
  crashes) kill -KILL $$ ;;
  silent) linger ;;
  esac
fi
case $behaviour in
stubborn)
  trap '' TERM INT HUP
  (linger) >/dev/null 2>&1 &
  linger
  ;;
forks)
  for _ in 1 2 3; do
    (
      trap '' TERM INT HUP
      linger
    ) >/dev/null 2>&1 &
  done
  sleep "$seconds"
  ;;
waits) while [ ! -e "$folder/go" ]; do sleep 0.02; done ;;
*) sleep "$seconds" ;;
esac

if [ "$behaviour" = writes ]; then
  read -r _payload
  echo '{"type":"marker","name":"effect","state":"started"}'
  read -r answer
  case $answer in
  *'"state":"finished"'*) ;; # an earlier life has done it
  *'"ok":true'*)
    write effects wrote "$MUSTER_JOB_ID" "$MUSTER_INCARNATION"
    echo '{"type":"marker","name":"effect","state":"finished"}'
    read -r answer
    ;;
  *) exit 70 ;;
  esac
fi

printf '%s' "$MUSTER_INCARNATION" >"$MUSTER_WORKSPACE/artifact"
write work end "$MUSTER_JOB_ID" "$MUSTER_INCARNATION" "$MUSTER_ATTEMPT" $$
printf '{"type":"result","result":{"incarnation":%s}}\n' "$MUSTER_INCARNATION"
