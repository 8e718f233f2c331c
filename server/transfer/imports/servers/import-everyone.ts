import type {
  ImportCounts,
  ImportedPerson,
  ImportedThread,
  ImportEvent,
} from "#contract/endpoints/imports.ts";
import { errorBody } from "#contract/errors.ts";
import { addToCounts, emptyCounts } from "#contract/import-counts.ts";
import type { Database } from "#storage/database/database.ts";
import { recordAudit } from "#server/audit/audit.ts";
import type { Inviter, PreparePeople } from "#server/people/prepared/prepare-person.ts";
import type { Groups } from "#server/people/groups/groups.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { derivedId } from "../derived-id.ts";
import type { DetectedImport } from "../importer.ts";
import type { ImportCandidate, ImportPrompts } from "../import-candidate.ts";
import type { Candidate } from "../thread-source.ts";
import type { createImportAssistants } from "./import-assistants.ts";
import type { Administrator, ForeignPerson, ServerExport } from "./server-export.ts";

export type ImportEveryone = ReturnType<typeof createImportEveryone>;

/** After so many threads of a person, the reader of the events learns of it. */
const threadsPerProgress = 25;

/**
 * Imports what all people of another server have. Each gets what is theirs, and an invitation unless they have an account
 * here whose address is verified. An administrator learns of it only how many chats came.
 */
export function createImportEveryone(options: {
  db: Database;
  clock: Clock;
  people: PreparePeople;
  groups: Pick<Groups, "bring">;
  importAssistants: ReturnType<typeof createImportAssistants>;
  importCandidate: ImportCandidate;
  importPrompts: ImportPrompts;
}) {
  const { db, clock, people, groups, importAssistants, importCandidate, importPrompts } = options;

  /** The person here. In a preview, somebody new has the ids that they will have. */
  async function prepared(
    person: ForeignPerson,
    ids: { userId: string; workspaceId: string },
    admin: Administrator,
  ) {
    const { appId } = admin.visitor;
    const { name, email } = person;
    const inviter: Inviter = { id: admin.inviterId, actor: admin.actor };
    if (!admin.isPreview) return await people.prepare({ ...inviter, appId }, { ...ids, name, email });
    const account = await people.findAccount({ userId: ids.userId, email });
    if (account !== undefined) return { visitor: account, outcome: "existing", token: undefined } as const;
    const here = { kind: "member", role: "member", ...ids, workspaceName: ids.userId } as const;
    return { visitor: { ...admin.visitor, ...here }, outcome: "invited", token: undefined } as const;
  }

  /** Yields how many threads were read now and then, and returns the result. */
  async function* importPerson(
    server: ServerExport,
    person: ForeignPerson,
    number: number,
    admin: Administrator,
  ): AsyncGenerator<number, { event: ImportedPerson; userId: string | undefined }> {
    const { name, email } = person;
    const from = `${server.kind}:${person.key}`;
    const { appId } = admin.visitor;
    const ids = {
      userId: derivedId("user", from, appId, 0),
      workspaceId: derivedId("workspace", from, appId, 0),
    };
    let counts: ImportCounts = emptyCounts;
    const folders = new Set<string>();
    const refusals = createRefusals();
    const reported = () => ({ folders: folders.size, counts, refusals: refusals.list() });
    const line = { type: "import-person", number, name, email } as const;
    const noPrompts = { prompts: 0, refused_prompts: 0 };
    try {
      const { visitor, outcome, token } = await prepared(person, ids, admin);
      let read = 0;
      for await (const candidate of server.threadsOf(person.key)) {
        admin.signal.throwIfAborted();
        const known = withFormerWorkspace(candidate, ids.workspaceId);
        const thread = await importCandidate(visitor, known, ++read, admin, admin.signal);
        counts = addToCounts(counts, thread);
        if (thread.error !== null) refusals.add(thread.error);
        else if ("folder" in candidate && candidate.folder !== "") folders.add(candidate.folder);
        if (read % threadsPerProgress === 0) yield read;
      }
      const prompts = await importPrompts(visitor, server.promptsOf(person.key), admin.isPreview);
      const link = token === undefined ? null : admin.linkOf(token);
      const is_address_unproved = outcome === "invited" && (await people.isUnproved(email));
      const event = { ...line, outcome, link, is_address_unproved, ...reported(), ...prompts };
      return { event, userId: visitor.userId };
    } catch (error) {
      admin.signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      refusals.add(errorBody(error.code, undefined, error));
      const refused = { outcome: "refused", link: null, is_address_unproved: false } as const;
      return { event: { ...line, ...refused, ...reported(), ...noPrompts }, userId: undefined };
    }
  }

  return async function* (detected: DetectedImport, admin: Administrator): AsyncGenerator<ImportEvent> {
    const { server } = detected;
    if (server === undefined) throw new AppError("import-unknown");
    const threads = server.people.reduce((sum, each) => sum + each.threads, 0);
    yield { type: "import-start", kind: server.kind, threads, people: server.people.length };
    let counts: ImportCounts = emptyCounts;
    const prompts = { prompts: 0, refused_prompts: 0 };
    const ids = new Map<string, string>();
    for (const [index, person] of server.people.entries()) {
      const before = totalOf(counts);
      const importing = importPerson(server, person, index + 1, admin);
      let next = await importing.next();
      for (; next.done !== true; next = await importing.next())
        yield { type: "import-progress", people: index, threads: before + next.value };
      const { event, userId } = next.value;
      if (userId !== undefined) ids.set(person.key, userId);
      counts = sumOf(counts, event.counts);
      prompts.prompts += event.prompts;
      prompts.refused_prompts += event.refused_prompts;
      yield event;
    }
    const assistants = await importAssistants(server, admin);
    let groupsCount = admin.isPreview ? server.groups.length : 0;
    if (!admin.isPreview) {
      const { kind } = server;
      const entry = {
        action: "content-imported",
        actor: admin.actor,
        details: { kind, people: ids.size },
      } as const;
      await db.write(async (tx) => await recordAudit(tx, entry, clock.now()));
      for (const { name, members } of server.groups) {
        const here = members.flatMap((key) => ids.get(key) ?? []);
        if (await groups.bring(name, here, admin.actor)) groupsCount++;
      }
    }
    const { names: unused, count } = detected.unused();
    const rest = { skipped: [...server.skipped], unused, unused_files: count };
    const whole = { groups: groupsCount, ...assistants };
    yield { type: "import-end", ...counts, ...prompts, ...rest, server: whole };
  };
}

/** What moved to an account that existed still has the ids that it had for the person who was prepared. */
function withFormerWorkspace(candidate: Candidate, formerWorkspaceId: string): Candidate {
  return "source" in candidate
    ? { ...candidate, source: { ...candidate.source, formerWorkspaceId } }
    : candidate;
}

/** Counts refusals by their code. */
function createRefusals() {
  const byCode = new Map<string, ImportedPerson["refusals"][number]>();
  return {
    add({ code, message }: Pick<NonNullable<ImportedThread["error"]>, "code" | "message">) {
      const { count } = byCode.get(code) ?? { count: 0 };
      byCode.set(code, { error: { code, message }, count: count + 1 });
    },
    list: () => [...byCode.values()],
  };
}

function totalOf({ added, updated, unchanged, refused }: ImportCounts): number {
  return added + updated + unchanged + refused;
}

function sumOf(a: ImportCounts, b: ImportCounts): ImportCounts {
  return Object.fromEntries(
    Object.entries(a).map(([name, count]) => [name, count + b[name as keyof typeof b]]),
  ) as ImportCounts;
}
