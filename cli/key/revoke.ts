import type { Command } from "commander";
import { createApiKeys, type ApiKey } from "#server/auth/api-keys.ts";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";
import { isoTime } from "../format-date.ts";

/** `key revoke "my app"`: refuses the key from the next request. */
export function keyRevoke(group: Command, context: CommandContext): void {
  group
    .command("revoke")
    .description("revoke an API key and every token created with it")
    .argument("<key>", "its id, its prefix in key list, its name, or the key itself")
    .action(async (given: string) => {
      await context.withDatabase(async (db) => {
        const keys = createApiKeys({ db, clock: context.clock });
        const { id } = (await keys.find(given)) ?? selectKey(await keys.list(), given);
        const revoked = await keys.revoke(id);
        if (revoked === undefined) throw new CommandError(`<key>: the key ${id} was just deleted.`);
        if (revoked.fromSetting)
          context.log(
            "It comes from the setting PARLANCE_API_KEY, so the next start of the server adds it again. Remove it there too.",
          );
        context.print({
          text: `Revoked: ${revoked.prefix}… "${revoked.name}".`,
          json: { id, name: revoked.name, revoked_at: isoTime(revoked.revoked_at) },
        });
      });
    });
}

function selectKey(keys: ApiKey[], given: string): ApiKey {
  const word = given.replace(/(…|\.\.\.)$/, "");
  const found = keys.filter((key) => key.id === word || key.prefix === word || key.name === given);
  const active = found.filter((key) => key.revoked_at === null);
  const [first, ...more] = active.length > 0 ? active : found;
  if (first === undefined)
    throw new CommandError(`<key>: there is no key "${mask(given)}". See: npm run cli -- key list --all`);
  if (more.length > 0)
    throw new CommandError(
      `<key>: ${more.length + 1} keys match "${mask(given)}". Use an id: ${[first, ...more].map(({ id }) => id).join(", ")}.`,
    );
  return first;
}

/** Masks a whole key, because error output may be logged. */
function mask(given: string): string {
  return given.startsWith("sk_") && given.length > 20 ? `${given.slice(0, 16)}…` : given;
}
