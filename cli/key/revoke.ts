import type { Command } from "commander";
import { createApiKeys, type ApiKey } from "#server/auth/api-keys.ts";
import type { Door } from "../open-database.ts";
import { CommandError } from "../errors.ts";
import { instant } from "../format-date.ts";

/** `key revoke "my app"`: from the next request on the key is refused. */
export function keyRevoke(group: Command, door: Door): void {
  group
    .command("revoke")
    .description("end an API key for good, with every token it minted, from the next request on")
    .argument("<key>", "its id, its beginning as key list shows it, its name, or the key itself")
    .action(async (given: string) => {
      await door.withDatabase(async (db) => {
        const keys = createApiKeys({ db, clock: door.clock });
        const { id } = (await keys.find(given)) ?? theOne(await keys.list(), given);
        const revoked = await keys.revoke(id);
        if (revoked === undefined) throw new CommandError(`<key>: the key ${id} has just gone.`);
        if (revoked.fromSetting)
          door.note(
            "It comes from the setting PARLANCE_API_KEY, and the next start of the server brings it back. Take it out of there too.",
          );
        door.answer({
          text: `Revoked: ${revoked.prefix}… "${revoked.name}".`,
          json: { id, name: revoked.name, revoked_at: instant(revoked.revoked_at) },
        });
      });
    });
}

function theOne(keys: ApiKey[], given: string): ApiKey {
  const word = given.replace(/(…|\.\.\.)$/, "");
  const found = keys.filter((key) => key.id === word || key.prefix === word || key.name === given);
  const standing = found.filter((key) => key.revoked_at === null);
  const [first, ...more] = standing.length > 0 ? standing : found;
  if (first === undefined)
    throw new CommandError(`<key>: there is no key "${mask(given)}". See: npm run cli -- key list --all`);
  if (more.length > 0)
    throw new CommandError(
      `<key>: ${more.length + 1} keys answer to "${mask(given)}". Name one by its id: ${[first, ...more].map(({ id }) => id).join(", ")}.`,
    );
  return first;
}

/** A whole key is not written to where logs may be kept. */
function mask(given: string): string {
  return given.startsWith("sk_") && given.length > 20 ? `${given.slice(0, 16)}…` : given;
}
