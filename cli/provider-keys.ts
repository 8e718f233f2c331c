import type { Command } from "commander";
import { loadSecret } from "#server/sign-in/secrets.ts";
import { rotateWebhookSecrets } from "#server/apps/webhooks/webhook-secrets.ts";
import { rotateSearchKey } from "#server/browsing/search/search-key.ts";
import { rotateMailPassword } from "#server/people/mail/mail-vault.ts";
import { rotateSecondFactors } from "#server/sign-in/second-factor/second-factor-vault.ts";
import { rotateClientSecrets } from "#server/sign-in/providers/client-secrets.ts";
import { rotateKeys } from "#server/models/stored-providers/transfer-keys.ts";
import type { CommandContext } from "./command-context.ts";
import { recordCommand } from "./record-command.ts";
import { readSecretFile } from "./backup/read-secret-file.ts";

/** `provider-key rotate`: encrypts the keys and secrets of providers with the new secret. */
export function providerKeyRotate(group: Command, context: CommandContext): void {
  group
    .command("rotate")
    .description(
      "after PARLANCE_SECRET has changed: encrypt the keys of model providers and the secrets of sign-in providers, second factors, webhooks, the mail server and the search service with the new one",
    )
    .requiredOption("--old-secret-file <file>", "a file with the previous secret")
    .action(async ({ oldSecretFile }: { oldSecretFile: string }) => {
      const oldSecret = await readSecretFile("--old-secret-file", oldSecretFile);
      const { secret: setting, dataDir } = context.config();
      await context.withDatabase(async (db) => {
        const secret = await loadSecret(setting, dataDir);
        const counts = [
          await rotateKeys(db, { oldSecret, secret }),
          await rotateClientSecrets(db, { oldSecret, secret }),
          await rotateWebhookSecrets(db, { oldSecret, secret }),
          await rotateMailPassword(db, { oldSecret, secret }),
          await rotateSearchKey(db, { oldSecret, secret }),
          await rotateSecondFactors(db, { oldSecret, secret }),
        ];
        const [rotated, left] = [sumOf(counts, "rotated"), sumOf(counts, "left")];
        await recordCommand(db, context.clock, {
          action: "provider-keys-rotated",
          details: { rotated, left },
        });
        if (left > 0)
          context.log(
            `${left} keys were encrypted with yet another secret. Enter them again in Settings > Models and Administration > Sign-in.`,
          );
        context.print({
          text: `${rotated} keys are now encrypted with the current secret. Restart the server.`,
          json: { rotated, left },
        });
      });
    });
}

function sumOf<Name extends string>(counts: readonly Record<Name, number>[], name: Name): number {
  return counts.reduce((sum, count) => sum + count[name], 0);
}
