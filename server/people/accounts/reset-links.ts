import { randomCharacters } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Tx } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { hashOf } from "#server/sign-in/secrets.ts";
import * as rows from "./rows.ts";

/**
 * In a transaction with the user locked: creates the token of a link with which the user sets a new password: within a
 * day, and earlier links of the user become invalid; or `mailed`, within an hour. Those leave earlier links as they are:
 * anybody can request them, and the message may not arrive.
 */
export async function createResetToken(
  tx: Tx,
  userId: string,
  actor: Actor,
  nowMs: number,
  way: "copied" | "mailed",
): Promise<string> {
  // 48 characters of 5 bits: 240 random bits.
  const token = `reset_0${randomCharacters(48)}`;
  if (way === "copied") await rows.endTokensOf(tx, userId, nowMs);
  await rows.insertToken(tx, {
    token_hash: hashOf(token),
    purpose: "reset",
    user_id: userId,
    created_at: nowMs,
    expires_at: nowMs + (way === "mailed" ? limits.mailedResetLinkMs : limits.resetLinkMs),
  });
  await recordAudit(tx, { action: "reset-link-created", actor, target: userId }, nowMs);
  return token;
}
