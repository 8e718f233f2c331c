import type { Command } from "commander";
import { loadSecret, ownerSecretOf } from "#server/auth/secrets.ts";
import { prepareDataDir } from "#server/settings/data-dir.ts";
import type { Door } from "./open-database.ts";

/** `owner-link`: prints the owner's link again. */
export function ownerLink(program: Command, door: Door): void {
  program
    .command("owner-link")
    .description("print the owner's link again, as the server did at its start")
    .action(async () => {
      const { secret, dataDir, publicUrl, host, port } = door.config();
      if (secret === undefined) await prepareDataDir(dataDir);
      const address = publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
      const link = `${address}/owner#${ownerSecretOf(await loadSecret(secret, dataDir))}`;
      door.answer({ text: link, json: { owner_link: link } });
    });
}
