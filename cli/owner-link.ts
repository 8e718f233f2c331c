import type { Command } from "commander";
import { loadSecret, ownerSecretOf } from "#server/auth/secrets.ts";
import { prepareDataDir } from "#server/settings/data-dir.ts";
import type { CommandContext } from "./command-context.ts";

/** `owner-link`: prints the owner's link again. */
export function ownerLink(program: Command, context: CommandContext): void {
  program
    .command("owner-link")
    .description("print the owner's link, as the server does when it starts")
    .action(async () => {
      const { secret, dataDir, publicUrl, host, port } = context.config();
      if (secret === undefined) await prepareDataDir(dataDir);
      const address = publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
      const link = `${address}/owner#${ownerSecretOf(await loadSecret(secret, dataDir))}`;
      context.print({ text: link, json: { owner_link: link } });
    });
}
