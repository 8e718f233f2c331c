import { endedWithoutEndEvent } from "#server/runs/lifecycle/repair.ts";
import { runTopic } from "#server/runs/log/topics.ts";
import { rule, type Check, type Reading } from "./reading.ts";

const ended = "('completed', 'cancelled', 'failed', 'interrupted')";
const mended = "cli doctor --repair sets it right.";
const byHand = "Nothing mends this by itself: keep a backup of now, and restore the last one that was well.";

/** The length of `run:`, and of `workspace:`, as SQL counts characters. */
const afterRun = runTopic("").length + 1;
const afterWorkspace = "workspace:".length + 1;

/** Of those that were asked to stop, or whose thread is gone, a server ends the run by itself. */
const waits =
  "runs.state = 'requires-action' and runs.ended_at is null and runs.stop_requested_at is null and runs.thread_id is not null";

/** What must hold between rows, whatever happened to the processes that wrote them. */
export const rules: Check[] = [
  rule(
    "parents",
    "messages hang below one that is not in their thread",
    byHand,
    `select child.id from messages as child where child.parent_id is not null and not exists (
       select 1 from messages as parent where parent.id = child.parent_id and parent.thread_id = child.thread_id)`,
  ),
  rule(
    "heights",
    "messages stand at another height than one above their parent",
    mended,
    `select child.id from messages as child left join messages as parent
       on parent.id = child.parent_id and parent.thread_id = child.thread_id
     where (child.parent_id is null and child.height <> 0) or child.height <> parent.height + 1`,
  ),
  rule(
    "threads",
    "messages are in no thread",
    byHand,
    "select id from messages where thread_id not in (select id from threads)",
  ),
  rule(
    "workspaces",
    "threads are in no workspace",
    byHand,
    "select id from threads where workspace_id not in (select id from workspaces)",
  ),
  rule(
    "assistants",
    "assistants are of projects that are not there",
    byHand,
    "select id from assistants where project_id not in (select id from projects)",
  ),
  rule(
    "branches",
    "branches are shown that end at a message which is not there",
    byHand,
    `select branch_heads.thread_id as id from branch_heads where not exists (
       select 1 from messages where messages.id = message_id and messages.thread_id = branch_heads.thread_id)`,
  ),
  rule(
    "replies",
    "replies are marked as being written, and no run writes them",
    mended,
    `select messages.id from messages left join runs on runs.id = messages.run_id
     where messages.status = 'running' and (runs.id is null or runs.ended_at is not null)`,
  ),
  rule(
    "runs",
    "runs are under way whose reply is gone or finished",
    "A stop of the run ends it: POST /v1/runs/{run_id}/stop.",
    `select runs.id from runs left join messages on messages.id = runs.reply_id
     where runs.ended_at is null and runs.reply_id is not null and runs.state = 'running'
       and (messages.id is null or messages.status <> 'running')`,
  ),
  rule(
    "runs",
    "runs wait for a person whose reply is gone or finished",
    "A stop of the run ends it: POST /v1/runs/{run_id}/stop.",
    `select runs.id from runs left join messages on messages.id = runs.reply_id
     where ${waits} and runs.reply_id is not null
       and (messages.id is null or messages.status <> 'requires-action')`,
  ),
  rule(
    "runs",
    "runs wait for a person whose log is gone, so that nobody can answer them",
    "cli doctor --repair has the next server end them, with what their replies hold.",
    `select id from runs where ${waits} and not exists (
       select 1 from log_entries where topic = '${runTopic("")}' || runs.id and seq = 1)`,
  ),
  rule(
    "states",
    "runs have a state that does not agree with whether they ended",
    byHand,
    `select id from runs where (state in ${ended} and ended_at is null) or (state not in ${ended} and ended_at is not null)`,
  ),
  rule(
    "leases",
    "runs are under way and nobody holds a lease of them",
    mended,
    "select id from runs where state = 'running' and ended_at is null and (lease_owner is null or lease_expires_at is null)",
  ),
  rule(
    "leases",
    "runs have ended and are held by a lease still",
    mended,
    "select id from runs where ended_at is not null and lease_owner is not null",
  ),
  rule(
    "leases",
    "runs wait for a person and are held by a lease",
    mended,
    "select id from runs where state = 'requires-action' and ended_at is null and lease_owner is not null",
  ),
  rule(
    "queue",
    "messages wait to be said that were said already",
    "Take them out of the queue in the thread.",
    `select id from queued_messages where removed_at is null
       and (id in (select id from messages) or run_id in (select id from runs))`,
  ),
  rule(
    "queue",
    "messages wait behind a reply that is not there",
    byHand,
    `select id from queued_messages where not exists (
       select 1 from messages where messages.id = parent_id and messages.thread_id = queued_messages.thread_id)`,
  ),
  rule(
    "logs",
    "logs have gaps, or a counter that does not agree with their entries",
    "cli doctor --repair raises a counter that is behind; a gap stays, and whoever follows the log there is told of an error.",
    `select topics.topic as id from log_topics as topics left join log_entries as entries on entries.topic = topics.topic
     group by topics.topic, topics.last_seq, topics.pruned_seq
     having count(entries.seq) <> topics.last_seq - topics.pruned_seq
       or (count(entries.seq) > 0 and (min(entries.seq) <> topics.pruned_seq + 1 or max(entries.seq) <> topics.last_seq))
       or topics.pruned_seq > topics.last_seq`,
  ),
  rule(
    "logs",
    "log entries belong to no log",
    mended,
    "select distinct topic as id from log_entries where topic not in (select topic from log_topics)",
  ),
  rule(
    "logs",
    "logs are of runs or workspaces that are not there",
    mended,
    `select topic as id from log_topics where
       (topic like 'run:%' and substr(topic, ${afterRun}) not in (select id from runs))
       or (topic like 'workspace:%' and substr(topic, ${afterWorkspace}) not in (select id from workspaces))`,
  ),
  rule(
    "logs",
    "runs have ended and their log does not say so, so that who follows it waits for ever",
    mended,
    endedWithoutEndEvent,
  ),
  rule(
    "sessions",
    "sessions are of users who are not there",
    byHand,
    "select id from sessions where user_id not in (select id from users)",
  ),
  rule(
    "sessions",
    "sessions end before they begin",
    "They are cleared away by themselves.",
    "select id from sessions where expires_at < created_at",
  ),
  rule(
    "users",
    "users have no workspace",
    byHand,
    "select id from users where workspace_id not in (select id from workspaces)",
  ),
];

/** A day: no clock of ours and no client's is ahead by more. */
const aheadMs = 24 * 3_600_000;
/** 10 minutes: a lease is renewed for 15 seconds at a time. */
const leaseAheadMs = 10 * 60_000;
/** 35 days: a session is extended by 30. */
const sessionAheadMs = 35 * 24 * 3_600_000;

/** Times that only a wrong clock can have written. */
export function clockRules({ nowMs }: Reading): Check[] {
  const remedy = "Set the clocks of the machines right (NTP); what was written stays as it is.";
  return [
    rule(
      "clock",
      "messages were written in the future",
      remedy,
      `select id from messages where created_at > ${nowMs + aheadMs}`,
    ),
    rule(
      "clock",
      "leases last much longer than any server gives",
      remedy,
      `select id from runs where ended_at is null and lease_expires_at > ${nowMs + leaseAheadMs}`,
    ),
    rule(
      "clock",
      "sessions last longer than any server gives",
      remedy,
      `select id from sessions where expires_at > ${nowMs + sessionAheadMs}`,
    ),
  ];
}

/** Runs whose process died; whoever runs a server need do nothing. */
export function waitingRuns({ nowMs }: Reading): Check {
  return rule(
    "leases",
    "answers were broken off when their server died",
    "A server that runs ends them within seconds; they can be continued then.",
    `select id from runs where state = 'running' and ended_at is null and lease_expires_at < ${nowMs}`,
  );
}
