import { isoTime } from "#server/lib/clock.ts";
import type { Passkey } from "#contract/endpoints/passkeys.ts";
import type { PasskeyRow } from "./rows.ts";

export function presentPasskey(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    name: row.name,
    host: row.rp_id,
    created_at: isoTime(row.created_at),
    last_used_at: isoTime(row.last_used_at),
  };
}
