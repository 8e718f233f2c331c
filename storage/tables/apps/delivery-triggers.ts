import type { Engine } from "../../lib/engine.ts";

/** Something that happened to a row. `$` is the row. */
type Happening = {
  /** The trigger and its condition, on the table whose row changed. */
  on: string;
  when: string;
  /** The table with what is sent, if it is another one: its row has the id `run_id` of the changed row. */
  of?: "runs";
  /** Equal for the same event, so that it is never sent with another id. Has no dots, because it is signed. */
  eventId: string;
  type: string;
  at: string;
  user: string;
  thread: string;
  ids: Record<string, string>;
};

const endOfRun = {
  eventId: "$.id || '-ended'",
  type: "case when $.state = 'failed' then 'run.failed' else 'run.ended' end",
  at: "$.ended_at",
  user: "$.user_id",
  thread: "$.thread_id",
  ids: { message_id: "$.reply_id", run_id: "$.id" },
};
// Only runs that were reported have an end: spans arrive in any number of exports.
const reported = { of: "runs", ...endOfRun } as const;
const feedback = {
  eventId: "$.id || '-' || $.updated_at",
  type: "'feedback.given'",
  at: "$.updated_at",
  user: "$.author_id",
  thread: "$.thread_id",
  ids: { message_id: "$.message_id", run_id: "$.run_id", score_id: "$.id" },
};
const storedFile = {
  eventId: "$.id || '-stored'",
  type: "'file.stored'",
  at: "$.stored_at",
  user: "$.created_by",
  thread: "null",
  ids: { file_id: "$.id" },
};
const createdThread = {
  eventId: "$.id || '-created'",
  type: "'thread.created'",
  at: "$.created_at",
  user: "$.created_by",
  thread: "$.id",
  ids: {},
};
const isForLastingThread = "(new.released_at is null or new.released_at >= new.created_at)";

const happenings = (engine: Engine): Record<string, Happening> => {
  const differs = (...columns: string[]): string =>
    columns
      .map((each) => `new.${each} is ${engine === "sqlite" ? "not" : "distinct from"} old.${each}`)
      .join(" or ");
  return {
    run_ended: {
      on: "update of ended_at on runs",
      when: "old.ended_at is null and new.ended_at is not null and new.origin <> 'reported'",
      ...endOfRun,
    },
    run_reported: { on: "insert on run_reports", when: "new.reported = 1", ...reported },
    traced_run_reported: {
      on: "update of reported on run_reports",
      when: "old.reported = 0 and new.reported = 1",
      ...reported,
    },
    feedback_given: { on: "insert on scores", when: "new.name = 'feedback'", ...feedback },
    feedback_changed: {
      on: "update of value, string_value, comment on scores",
      when: `new.name = 'feedback' and (${differs("value", "string_value", "comment")})`,
      ...feedback,
    },
    thread_created: {
      on: "insert on threads",
      // A large import is in the trash of a workspace of nobody until all of it is there.
      when: "new.temporary_until is null and new.deleted_at is null",
      ...createdThread,
    },
    thread_imported: {
      on: "update of workspace_id on threads",
      when: `new.workspace_id <> old.workspace_id and old.deleted_at is not null and new.deleted_at is null
        and new.temporary_until is null`,
      ...createdThread,
    },
    thread_kept: {
      on: "update of temporary_until on threads",
      when: "old.temporary_until is not null and new.temporary_until is null",
      ...createdThread,
    },
    file_stored: {
      on: "update of stored_at on files",
      when: `old.stored_at is null and new.stored_at is not null and ${isForLastingThread}`,
      ...storedFile,
    },
    file_copied: {
      on: "insert on files",
      when: `new.stored_at is not null and ${isForLastingThread}`,
      ...storedFile,
    },
  };
};

/**
 * Write what is to be sent in the transaction in which it happened, whoever makes it. Without webhooks, this is one look at
 * an empty table. As for the app's API key, chats of people with an account and temporary threads do not exist.
 */
export const deliveryTriggers: Record<Engine, readonly string[]> = {
  sqlite: Object.entries(happenings("sqlite")).map(
    ([name, happening]) =>
      `create trigger webhook_${name} after ${happening.on}
       when ${happening.when} and exists (select 1 from webhooks) begin ${addDeliveries("sqlite", happening)} end`,
  ),
  postgres: Object.entries(happenings("postgres")).flatMap(([name, happening]) => [
    `create function webhook_${name}() returns trigger language plpgsql as $$ begin
       if exists (select 1 from webhooks) then ${addDeliveries("postgres", happening)} end if;
       return null; end $$`,
    `create trigger webhook_${name} after ${happening.on} for each row
     when (${happening.when}) execute function webhook_${name}()`,
  ]),
};

function addDeliveries(engine: Engine, { of, eventId, type, at, user, thread, ids }: Happening): string {
  const data = Object.entries({ app_id: "$.app_id", user_id: user, thread_id: thread, ...ids })
    .filter(([, value]) => value !== "null")
    .map(([name, value]) => `'${name}', ${value}`)
    .join(", ");
  const json = engine === "sqlite" ? `json_object(${data})` : `json_build_object(${data})::text`;
  const statement = `insert into webhook_deliveries
      (webhook_id, event_id, type, data, thread_id, user_id, created_at, due_at)
    select webhooks.id, ${eventId}, ${type}, ${json}, ${thread}, ${user}, ${at}, ${at}
    from webhooks${of === undefined ? "" : ` join ${of} on ${of}.id = new.run_id`}
    where webhooks.app_id = $.app_id and webhooks.off_reason is null
      and webhooks.events like '%"' || ${type} || '"%'
      and not exists (select 1 from users where users.workspace_id = $.workspace_id and users.joined_at is not null)
      and not exists (select 1 from threads where threads.id = ${thread} and threads.temporary_until is not null)
    on conflict do nothing;`;
  return statement.replaceAll("$.", `${of ?? "new"}.`);
}
