import { endedWithoutEndEvent } from "#server/runs/lifecycle/repair.ts";
import { runTopic } from "#server/runs/log/topics.ts";
import { wrongSizes } from "#server/threads/repair.ts";
import { rule, type Check, type Snapshot } from "./check.ts";

const ended = "('completed', 'cancelled', 'failed', 'interrupted')";
const repaired = "cli doctor --repair repairs it.";
const noRepair = "There is no automatic repair: back up the current state, and restore the last good backup.";

/** The positions after `run:` and `workspace:`, which SQL counts from 1. */
const afterRun = runTopic("").length + 1;
const afterWorkspace = "workspace:".length + 1;

/**
 * Runs that wait for a person. Excludes those with a requested stop or a deleted thread, because a server ends them.
 */
const waits =
  "runs.state = 'requires-action' and runs.ended_at is null and runs.stop_requested_at is null and runs.thread_id is not null";

/** Invariants between rows, which must hold even after a process has crashed. */
export const rules: Check[] = [
  rule(
    "parents",
    "messages have a parent outside of their thread",
    noRepair,
    `select child.id from messages as child where child.parent_id is not null and not exists (
       select 1 from messages as parent where parent.id = child.parent_id and parent.thread_id = child.thread_id)`,
  ),
  rule(
    "heights",
    "messages have a height that is not their parent's plus one",
    repaired,
    `select child.id from messages as child left join messages as parent
       on parent.id = child.parent_id and parent.thread_id = child.thread_id
     where (child.parent_id is null and child.height <> 0) or child.height <> parent.height + 1`,
  ),
  rule(
    "threads",
    "messages belong to a missing thread",
    noRepair,
    "select id from messages where thread_id not in (select id from threads)",
  ),
  rule("sizes", "threads have a size that is not that of their texts", repaired, wrongSizes),
  rule(
    "workspaces",
    "threads belong to a missing workspace",
    noRepair,
    "select id from threads where workspace_id not in (select id from workspaces)",
  ),
  rule(
    "assistants",
    "assistants belong to a missing app",
    noRepair,
    "select id from assistants where app_id not in (select id from apps)",
  ),
  rule(
    "branches",
    "selected branches end at a missing message",
    noRepair,
    `select branch_heads.thread_id as id from branch_heads where not exists (
       select 1 from messages where messages.id = message_id and messages.thread_id = branch_heads.thread_id)`,
  ),
  rule(
    "replies",
    "replies are marked as running without a run",
    repaired,
    `select messages.id from messages left join runs on runs.id = messages.run_id
     where messages.status = 'running' and (runs.id is null or runs.ended_at is not null)`,
  ),
  rule(
    "runs",
    "running runs have a missing or finished reply",
    "Stop the run: POST /v1/runs/{run_id}/stop.",
    `select runs.id from runs left join messages on messages.id = runs.reply_id
     where runs.ended_at is null and runs.reply_id is not null and runs.state = 'running'
       and (messages.id is null or messages.status <> 'running')`,
  ),
  rule(
    "runs",
    "waiting runs have a missing or finished reply",
    "Stop the run: POST /v1/runs/{run_id}/stop.",
    `select runs.id from runs left join messages on messages.id = runs.reply_id
     where ${waits} and runs.reply_id is not null
       and (messages.id is null or messages.status <> 'requires-action')`,
  ),
  rule(
    "runs",
    "waiting runs have lost their log, so that nobody can answer them",
    "After cli doctor --repair, the next server ends them and keeps the content of their replies.",
    `select id from runs where ${waits} and not exists (
       select 1 from log_entries where topic = '${runTopic("")}' || runs.id and seq = 1)`,
  ),
  rule(
    "states",
    "runs have a state that contradicts their end time",
    noRepair,
    `select id from runs where (state in ${ended} and ended_at is null) or (state not in ${ended} and ended_at is not null)`,
  ),
  rule(
    "leases",
    "running runs have no lease",
    repaired,
    "select id from runs where state = 'running' and ended_at is null and (lease_owner is null or lease_expires_at is null)",
  ),
  rule(
    "leases",
    "ended runs still have a lease",
    repaired,
    "select id from runs where ended_at is not null and lease_owner is not null",
  ),
  rule(
    "leases",
    "waiting runs have a lease",
    repaired,
    "select id from runs where state = 'requires-action' and ended_at is null and lease_owner is not null",
  ),
  rule(
    "queue",
    "queued messages were already sent",
    "Remove them from the queue in the thread.",
    `select id from queued_messages where removed_at is null
       and (id in (select id from messages) or run_id in (select id from runs))`,
  ),
  rule(
    "queue",
    "queued messages follow a missing reply",
    noRepair,
    `select id from queued_messages where not exists (
       select 1 from messages where messages.id = queued_messages.parent_id and messages.thread_id = queued_messages.thread_id)`,
  ),
  rule(
    "logs",
    "logs have gaps, or a counter that contradicts their entries",
    "cli doctor --repair raises counters that are too low. Gaps stay, and readers of the log get an error there.",
    `select topics.topic as id from log_topics as topics left join log_entries as entries on entries.topic = topics.topic
     group by topics.topic, topics.last_seq, topics.pruned_seq
     having count(entries.seq) <> topics.last_seq - topics.pruned_seq
       or (count(entries.seq) > 0 and (min(entries.seq) <> topics.pruned_seq + 1 or max(entries.seq) <> topics.last_seq))
       or topics.pruned_seq > topics.last_seq`,
  ),
  rule(
    "logs",
    "log entries belong to a missing log",
    repaired,
    "select distinct topic as id from log_entries where topic not in (select topic from log_topics)",
  ),
  rule(
    "logs",
    "logs belong to missing runs or workspaces",
    repaired,
    `select topic as id from log_topics where
       (topic like 'run:%' and substr(topic, ${afterRun}) not in (select id from runs))
       or (topic like 'workspace:%' and substr(topic, ${afterWorkspace}) not in (select id from workspaces))`,
  ),
  rule(
    "logs",
    "the logs of ended runs lack the end event, so that readers wait forever",
    repaired,
    endedWithoutEndEvent,
  ),
  rule(
    "sessions",
    "sessions belong to missing users",
    noRepair,
    "select id from sessions where user_id not in (select id from users)",
  ),
  rule(
    "sessions",
    "sessions end before they begin",
    "The server deletes them itself.",
    "select id from sessions where expires_at < created_at",
  ),
  rule(
    "users",
    "users have a missing workspace",
    noRepair,
    "select id from users where workspace_id not in (select id from workspaces)",
  ),
  rule(
    "owners",
    "owners are not administrators",
    "Ask another owner to set their role again.",
    "select id from users where is_owner = 1 and kind <> 'admin'",
  ),
  rule(
    "guests",
    "threads were left behind when their guest signed in to an account",
    noRepair,
    `select threads.id from threads join users on users.workspace_id = threads.workspace_id
     where users.merged_into is not null`,
  ),
];

/** One day: clocks of servers and clients are not ahead by more. */
const aheadMs = 24 * 3_600_000;
/** 10 minutes: a lease is renewed for 15 seconds at a time. */
const leaseAheadMs = 10 * 60_000;
/** 35 days: a session is extended by 30. */
const sessionAheadMs = 35 * 24 * 3_600_000;

/** Times that only a wrong clock can have caused. */
export function clockRules({ nowMs }: Snapshot): Check[] {
  const remedy = "Correct the clocks of the machines (NTP). The stored times stay.";
  return [
    rule(
      "clock",
      "messages have a time in the future",
      remedy,
      `select id from messages where created_at > ${nowMs + aheadMs}`,
    ),
    rule(
      "clock",
      "leases are much too long",
      remedy,
      `select id from runs where ended_at is null and lease_expires_at > ${nowMs + leaseAheadMs}`,
    ),
    rule(
      "clock",
      "sessions are too long",
      remedy,
      `select id from sessions where expires_at > ${nowMs + sessionAheadMs}`,
    ),
  ];
}

/** Runs whose process died. A server ends them itself. */
export function waitingRuns({ nowMs }: Snapshot): Check {
  return rule(
    "leases",
    "answers were interrupted when their server died",
    "A running server ends them within seconds. Then people can continue them.",
    `select id from runs where state = 'running' and ended_at is null and lease_expires_at < ${nowMs}`,
  );
}
