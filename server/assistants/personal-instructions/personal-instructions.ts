import type { Database, Tx } from "#storage/database/database.ts";
import { ownedRows } from "#server/people/owned-rows.ts";
import { isOfPerson } from "#server/people/users/rows.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Clock } from "#server/lib/clock.ts";
import { isOwnUser, type Routes, type Visitor } from "#server/lib/route.ts";

/**
 * What people want every assistant to know about them, and how it is to answer. Users of a backend can have any id, so
 * that people are always named with their workspace.
 */
export type PersonalInstructions = {
  /** Empty if the person wrote none. */
  find(person: Person): Promise<string>;
  /** Throws `not-allowed` for users of a backend, which sends instructions with its requests. */
  put(visitor: Visitor, text: string): Promise<void>;
  /** A guest who signs in keeps theirs, unless the account has some. */
  move(tx: Tx, people: { from: Person; to: Person }): Promise<void>;
  /** `workspaceIds`: those of the person. */
  erase(tx: Tx, who: { userId: string }, workspaceIds: string[]): Promise<void>;
};

type Person = { userId: string; workspaceId: string };

export function createPersonalInstructions({
  db,
  clock,
}: {
  db: Database;
  clock: Clock;
}): PersonalInstructions {
  const owned = ownedRows("personal_instructions", "user_id");

  return {
    async find({ userId, workspaceId }) {
      const row = await db.read
        .selectFrom("personal_instructions")
        .innerJoin("users", "users.id", "personal_instructions.user_id")
        .select("text")
        .where("user_id", "=", userId)
        .where(isOfPerson(workspaceId))
        .executeTakeFirst();
      return row?.text ?? "";
    },
    async put(visitor, text) {
      if (!isOwnUser(visitor)) throw new AppError("not-allowed");
      const { userId, workspaceId } = visitor;
      const values = { text: text.trim(), updated_at: clock.now() };
      await db.write(async (tx) => {
        if (values.text === "") await owned.erase(tx, { userId }, [workspaceId]);
        else
          await tx.q
            .insertInto("personal_instructions")
            .values({ user_id: userId, ...values })
            .onConflict((conflict) => conflict.column("user_id").doUpdateSet(values))
            .execute();
      });
    },
    async move(tx, people) {
      const { from, to } = people;
      if ((await owned.count(tx.q, to.userId)) === 0) await owned.move(tx, people);
      await owned.erase(tx, from, [from.workspaceId]);
    },
    erase: owned.erase,
  };
}

export function personalInstructionRoutes(
  instructions: PersonalInstructions,
): Routes<"personalInstructions.get" | "personalInstructions.put"> {
  return {
    "personalInstructions.get": async ({ visitor }) => {
      if (!isOwnUser(visitor)) throw new AppError("not-allowed");
      return { instructions: await instructions.find(visitor) };
    },
    "personalInstructions.put": async ({ visitor, body }) => {
      await instructions.put(visitor, body.instructions);
      return {};
    },
  };
}
