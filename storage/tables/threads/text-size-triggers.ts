import type { Engine } from "../../lib/engine.ts";

type Counted = { table: string; columns: string[] };

const counted: Counted[] = [
  { table: "messages", columns: ["content", "plain_text"] },
  { table: "queued_messages", columns: ["content"] },
  { table: "run_reports", columns: ["details", "attributes"] },
];

/**
 * Keep `threads.text_bytes`. Only a thread's metadata is counted by the code that writes it. The thread is locked when its
 * messages change, so the triggers add no lock.
 */
export const textSizeTriggers: Record<Engine, string[]> = {
  sqlite: counted.flatMap(sqliteTriggers),
  postgres: counted.flatMap(postgresTriggers),
};

function sizeOf({ columns }: Counted, row: string): string {
  return columns.map((column) => `octet_length(${row}.${column})`).join(" + ");
}

function isChanged({ columns }: Counted, comparison: string): string {
  return columns.map((column) => `new.${column} ${comparison} old.${column}`).join(" or ");
}

function sqliteTriggers(rows: Counted): string[] {
  const add = (size: string, threadId: string) =>
    `begin update threads set text_bytes = text_bytes + (${size}) where id = ${threadId}; end`;
  return [
    `create trigger size_of_new_${rows.table} after insert on ${rows.table}
     ${add(sizeOf(rows, "new"), "new.thread_id")}`,
    `create trigger size_of_changed_${rows.table} after update of ${rows.columns.join(", ")} on ${rows.table}
     when ${isChanged(rows, "<>")} ${add(`${sizeOf(rows, "new")} - (${sizeOf(rows, "old")})`, "new.thread_id")}`,
    `create trigger size_of_gone_${rows.table} after delete on ${rows.table}
     ${add(`-(${sizeOf(rows, "old")})`, "old.thread_id")}`,
  ];
}

/** New and deleted rows are added up per statement, because an import inserts hundreds at once. */
function postgresTriggers(rows: Counted): string[] {
  const { table, columns } = rows;
  const trigger = (name: string, body: string) =>
    `create function ${name}() returns trigger language plpgsql as $$ begin ${body}; return null; end $$`;
  const addAll = (sign: string) =>
    `update threads set text_bytes = text_bytes ${sign} changed.bytes
     from (select thread_id, sum(${sizeOf(rows, "listed")}) as bytes from listed group by thread_id) as changed
     where threads.id = changed.thread_id`;
  return [
    trigger(`size_of_new_${table}`, addAll("+")),
    `create trigger size_of_new_${table} after insert on ${table} referencing new table as listed
     for each statement execute function size_of_new_${table}()`,
    trigger(
      `size_of_changed_${table}`,
      `update threads set text_bytes = text_bytes + (${sizeOf(rows, "new")}) - (${sizeOf(rows, "old")})
       where id = new.thread_id`,
    ),
    `create trigger size_of_changed_${table} after update of ${columns.join(", ")} on ${table} for each row
     when (${isChanged(rows, "is distinct from")}) execute function size_of_changed_${table}()`,
    trigger(`size_of_gone_${table}`, addAll("-")),
    `create trigger size_of_gone_${table} after delete on ${table} referencing old table as listed
     for each statement execute function size_of_gone_${table}()`,
  ];
}
