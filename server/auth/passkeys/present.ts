import type { Passkey } from "#contract/endpoints/passkeys.ts";
import type { PasskeyRow } from "./rows.ts";

export function presentPasskey(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    name: row.name,
    host: row.rp_id,
    created_at: new Date(row.created_at).toISOString(),
    last_used_at: row.last_used_at === null ? null : new Date(row.last_used_at).toISOString(),
  };
}
