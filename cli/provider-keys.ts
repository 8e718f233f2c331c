import type { Command } from "commander";
import { loadSecret } from "#server/sign-in/secrets.ts";
import { rotateAllSecrets } from "#server/admin/backups/rotate-secrets.ts";
import type { CommandContext } from "./command-context.ts";
import { recordCommand } from "./record-command.ts";
import { readSecretFile } from "./backup/read-secret-file.ts";

/** `provider-key rotate`: encrypts the keys and secrets of providers with the new secret. */
export function providerKeyRotate(group: Command, context: CommandContext): void {
  group
    .command("rotate")
    .description(
      "after PARLANCE_SECRET has changed: encrypt the keys of model providers and the secrets of sign-in providers, second factors, webhooks, tool servers, backups, the mail server and the search service with the new one",
    )
    .requiredOption("--old-secret-file <file>", "a file with the previous secret")
    .action(async ({ oldSecretFile }: { oldSecretFile: string }) => {
      const oldSecret = await readSecretFile("--old-secret-file", oldSecretFile);
      const { secret: setting, dataDir } = context.config();
      await context.withDatabase(async (db) => {
        const secret = await loadSecret(setting, dataDir);
        const { rotated, left } = await rotateAllSecrets(db, { oldSecret, secret });
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
