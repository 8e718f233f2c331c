import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** In milliseconds: 30 days. */
const keptMs = 2_592_000_000;
const message = "audit entries cannot be changed, or deleted within 30 days";

/** The audit log. Triggers refuse changes. No foreign keys: entries outlive the people that they are about. */
export const auditEntries = table("audit_entries", {
  columns: {
    id: text().primaryKey(),
    at: bigint(),
    action: text(),
    /** A user's id, or `operator` for commands on the server's machine. */
    actor: text(),
    target: text().nullable(),
    address: text().nullable(),
    /** JSON object. */
    details: text().nullable(),
  },
  indexes: {
    audit_by_time: "at, id",
    audit_by_actor: "actor, at",
    audit_by_target: "target, at",
    audit_by_action: "action, at",
  },
  triggers: {
    sqlite: [
      `create trigger audit_no_update before update on audit_entries
     begin select raise(abort, 'audit entries cannot be changed'); end`,
      `create trigger audit_no_delete before delete on audit_entries
     when old.at > unixepoch() * 1000 - ${keptMs}
     begin select raise(abort, '${message}'); end`,
    ],
    postgres: [
      `create function audit_append_only() returns trigger language plpgsql as $$
     begin
       if tg_op = 'DELETE' and old.at <= extract(epoch from now()) * 1000 - ${keptMs} then return old; end if;
       raise exception '${message}';
     end $$`,
      `create trigger audit_append_only before update or delete on audit_entries
     for each row execute function audit_append_only()`,
    ],
  },
  backup: "in backup",
});
