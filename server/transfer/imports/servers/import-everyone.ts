import type { ImportedPerson, ImportEvent } from "#contract/endpoints/imports.ts";
import { addToCounts, emptyCounts } from "#contract/import-counts.ts";
import { limits } from "#contract/limits.ts";
import { cutText } from "#contract/text.ts";
import type { Assistants } from "#server/assistants/assistants.ts";
import type { Database } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import type { PreparedPeople } from "#server/people/accounts/prepared-people.ts";
import type { Groups } from "#server/people/groups/groups.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import { derivedId } from "../derived-id.ts";
import type { DetectedImport } from "../importer.ts";
import type { ImportCandidate, ImportPrompts } from "../import-candidate.ts";
import type { ForeignPerson, ServerExport } from "./server-export.ts";

export type Administrator = {
  visitor: Visitor;
  actor: Actor;
  isPreview: boolean;
  base: string;
  signal: AbortSignal;
  /** The page on which people use their invitations. */
  linkOf(token: string): string;
};

export type ImportEveryone = ReturnType<typeof createImportEveryone>;

/**
 * Imports what all people of another server have. Each gets what is theirs, and an invitation unless they have an account
 * here whose address is verified. An administrator learns of it only how many chats came.
 */
export function createImportEveryone(options: {
  db: Database;
  clock: Clock;
  people: PreparedPeople;
  groups: Pick<Groups, "bring">;
  assistants: Pick<Assistants, "create">;
  importCandidate: ImportCandidate;
  importPrompts: ImportPrompts;
}) {
  const { db, clock, people, groups, assistants, importCandidate, importPrompts } = options;

  /** The person here; without a token if they have an account. In a preview of somebody new, the ids that they will have. */
  async function prepared(kind: string, person: ForeignPerson, admin: Administrator) {
    const { appId } = admin.visitor;
    const from = `${kind}:${person.key}`;
    const userId = derivedId("user", from, appId, 0);
    const workspaceId = derivedId("workspace", from, appId, 0);
    const { name, email } = person;
    if (!admin.isPreview)
      return await people.prepare(
        { id: admin.visitor.userId, actor: admin.actor, appId },
        { userId, workspaceId, name, email },
      );
    const account = await people.findAccount({ userId, email });
    if (account !== undefined) return { visitor: account, token: undefined };
    const here = { kind: "member", role: "member", userId, workspaceId, workspaceName: userId } as const;
    return { visitor: { ...admin.visitor, ...here }, token: null };
  }

  async function importPerson(
    server: ServerExport,
    person: ForeignPerson,
    number: number,
    admin: Administrator,
  ): Promise<{ event: ImportedPerson; userId: string | undefined }> {
    const { name, email } = person;
    let counts = emptyCounts as ImportedPerson["counts"];
    const line = { type: "import-person", number, name, email } as const;
    try {
      const { visitor, token } = await prepared(server.kind, person, admin);
      let at = 0;
      for await (const candidate of server.threadsOf(person.key)) {
        admin.signal.throwIfAborted();
        const thread = await importCandidate(visitor, candidate, ++at, admin, admin.signal);
        counts = addToCounts(counts, thread);
      }
      await importPrompts(visitor, server.promptsOf(person.key), admin.isPreview);
      const link = typeof token === "string" ? admin.linkOf(token) : null;
      const outcome = token === undefined ? "existing" : "invited";
      return { event: { ...line, outcome, link, counts }, userId: visitor.userId };
    } catch (error) {
      admin.signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      return { event: { ...line, outcome: "refused", link: null, counts }, userId: undefined };
    }
  }

  /** Assistants of the whole server, which answer with the server's default model until an administrator chooses another. */
  async function importAssistants(
    { kind, assistants: foreign }: ServerExport,
    admin: Administrator,
  ): Promise<void> {
    for (const { key, name, instructions } of foreign) {
      const id = derivedId("assistant", `${kind}:${key}`, admin.visitor.appId, 0);
      const body = {
        id,
        name: cutText(name.trim(), limits.assistantNameCharacters) || key.slice(0, 20),
        instructions: cutText(instructions ?? "", limits.instructionsCharacters),
      };
      // It is here already, perhaps changed, or there are too many.
      await assistants.create(admin.visitor, body, admin.actor).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
      });
    }
  }

  return async function* (detected: DetectedImport, admin: Administrator): AsyncGenerator<ImportEvent> {
    const { server } = detected;
    if (server === undefined) throw new AppError("import-unknown");
    yield {
      type: "import-start",
      kind: server.kind,
      threads: server.people.reduce((sum, each) => sum + each.threads, 0),
    };
    let counts = emptyCounts as ImportedPerson["counts"];
    const ids = new Map<string, string>();
    let number = 0;
    for (const person of server.people) {
      const { event, userId } = await importPerson(server, person, ++number, admin);
      if (userId !== undefined) ids.set(person.key, userId);
      counts = sumOf(counts, event.counts);
      yield event;
    }
    if (!admin.isPreview) {
      await importAssistants(server, admin);
      const { kind } = server;
      const entry = {
        action: "content-imported",
        actor: admin.actor,
        details: { kind, people: ids.size },
      } as const;
      await db.write(async (tx) => await recordAudit(tx, entry, clock.now()));
      for (const { name, members } of server.groups)
        await groups.bring(
          name,
          members.flatMap((key) => ids.get(key) ?? []),
          admin.actor,
        );
    }
    const { names: unused, count } = detected.unused();
    const rest = { prompts: 0, refused_prompts: 0, skipped: [...server.skipped] };
    yield { type: "import-end", ...counts, ...rest, unused, unused_files: count };
  };
}

function sumOf(a: ImportedPerson["counts"], b: ImportedPerson["counts"]): ImportedPerson["counts"] {
  return Object.fromEntries(
    Object.entries(a).map(([name, count]) => [name, count + b[name as keyof typeof b]]),
  ) as ImportedPerson["counts"];
}
