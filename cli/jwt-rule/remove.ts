import type { Command } from "commander";
import { createJwtRules } from "#server/auth/projects/jwt-rules.ts";
import type { Door } from "../open-database.ts";
import { CommandError } from "../errors.ts";

/** `jwt-rule remove <rule>`: from the next request on its tokens, and what they were exchanged for, are refused. */
export function jwtRuleRemove(group: Command, door: Door): void {
  group
    .command("remove")
    .description("take a rule away: its tokens, and those they were exchanged for, count no more")
    .argument("<rule>", "its id, as jwt-rule list shows it")
    .action(async (id: string) => {
      const found = await door.withDatabase(
        async (db) => await createJwtRules({ db, clock: door.clock }).remove(id),
      );
      if (!found)
        throw new CommandError(`<rule>: there is no rule "${id}". See: npm run cli -- jwt-rule list`);
      door.answer({ text: `Removed ${id}.`, json: { id } });
    });
}
