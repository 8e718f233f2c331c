import { randomCharacters } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Tx } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { hashOf } from "../secrets.ts";
import * as rows from "./rows.ts";

/**
 * In a transaction with the user locked: creates the token of a link with which they set a new password within a day.
 * Older links of theirs end.
 */
export async function createResetToken(tx: Tx, userId: string, actor: Actor, nowMs: number): Promise<string> {
  // 48 characters of 5 bits: 240 random bits.
  const token = `reset_0${randomCharacters(48)}`;
  await rows.endTokensOf(tx, userId, nowMs);
  await rows.insertToken(tx, {
    token_hash: hashOf(token),
    purpose: "reset",
    user_id: userId,
    created_at: nowMs,
    expires_at: nowMs + limits.resetLinkMs,
  });
  await recordAudit(tx, { action: "reset-link-created", actor, target: userId }, nowMs);
  return token;
}
