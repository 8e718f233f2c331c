import type { Database } from "#storage/database/database.ts";
import { rotateWebhookSecrets } from "#server/apps/webhooks/webhook-secrets.ts";
import { rotateSearchKey } from "#server/browsing/search/search-key.ts";
import { rotateKeys } from "#server/models/stored-providers/transfer-keys.ts";
import { rotateMailPassword } from "#server/people/mail/mail-vault.ts";
import { rotateClientSecrets } from "#server/sign-in/providers/client-secrets.ts";
import { rotateSecondFactors } from "#server/sign-in/second-factor/second-factor-vault.ts";
import { rotateToolServerSecrets } from "#server/tool-servers/server-secrets.ts";
import { rotateBackupSecrets } from "./backup-vault.ts";

const rotations = [
  rotateKeys,
  rotateClientSecrets,
  rotateWebhookSecrets,
  rotateToolServerSecrets,
  rotateMailPassword,
  rotateSearchKey,
  rotateSecondFactors,
  rotateBackupSecrets,
];

/** Encrypts all stored secrets that use `oldSecret` with the new one. `left`: how many use a third secret. */
export async function rotateAllSecrets(
  db: Database,
  secrets: { oldSecret: string; secret: string },
): Promise<{ rotated: number; left: number }> {
  let [rotated, left] = [0, 0];
  for (const rotate of rotations) {
    const counts = await rotate(db, secrets);
    rotated += counts.rotated;
    left += counts.left;
  }
  return { rotated, left };
}
