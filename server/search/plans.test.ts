import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createQueryId, type RootOperationNode } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "#storage/database/database.ts";
import { openDatabase } from "#storage/database/open.ts";
import { sql } from "#storage/database/sql.ts";
import { listFiles } from "../files/file-list-rows.ts";
import { findDocuments as findFileDocuments, findFiles, findAcrossPieces } from "./files/rows.ts";
import { findTexts, rankDocuments, rankFileDocuments } from "./passages/rows.ts";
import {
  matchingDocuments,
  findDocuments,
  findPieces,
  matchingPiecedMessages,
  matchingTexts,
  theseDocuments,
} from "./rows.ts";
import { findInThreads, findThreads } from "./thread-rows.ts";

/**
 * SQLite's query plans for searches. They must read the word index once and first. Reading it again for each document of a
 * workspace has the same result and takes minutes.
 */

const folder = mkdtempSync(join(tmpdir(), "parlance-plans-"));
let db: Database;
beforeAll(async () => void (db = await openDatabase({ dataDir: folder })));
afterAll(async () => {
  await db.close();
  rmSync(folder, { recursive: true, force: true });
});

const range = { from: 0, below: Number.MAX_SAFE_INTEGER };
const wanted = { all: [{ words: ["own:garage"], prefix: true }, { words: ["own:code"] }] };
const scope = { workspaceId: "own", range, threadId: undefined, notBy: [], exceptIds: [] };
const concepts = wanted.all.map((one) => ({ lookups: [one], weight: 1 }));
const filter = {
  workspaceId: "own",
  kind: undefined,
  archived: false,
  threadIds: ["thr_1"],
  charactersMax: 100,
  limit: 20,
};
/** Of threads that several people share. */
const shared = {
  wanted: { all: wanted.all.map((one) => [one, { ...one, words: ["other:garage"] }]) },
  filter: { ...filter, workspaceId: ["own", "other"], archived: undefined, forMember: true as const },
};

test.for<[string, (from: Database) => Promise<unknown>]>([
  [
    "messages and titles",
    async (from) =>
      await findDocuments(from, matchingDocuments(from, "search_words", "own", wanted, range), filter),
  ],
  [
    "long messages",
    async (from) => await findDocuments(from, matchingPiecedMessages(from, "own", wanted, range), filter),
  ],
  [
    "messages and titles by thread",
    async (from) => {
      const documents = matchingTexts(from, "own", wanted, range, true);
      await findThreads(from, documents, filter, 1_000);
      await findInThreads(from, () => documents, ["thr_1"], 3);
      await findDocuments(from, theseDocuments(from, [1]), filter);
    },
  ],
  [
    "shared threads",
    async (from) => {
      const { workspaceId } = shared.filter;
      const documents = matchingTexts(from, workspaceId, shared.wanted, range, true);
      await findThreads(from, documents, shared.filter, 1_000);
      await findInThreads(from, () => documents, ["thr_1"], 3, true);
      await findDocuments(
        from,
        matchingDocuments(from, "search_words", workspaceId, shared.wanted, range),
        shared.filter,
      );
      await findFileDocuments(from, shared.filter, { all: shared.wanted.all.slice(1) }, range, 20);
      await findAcrossPieces(from, shared.filter, shared.wanted, range, 20);
    },
  ],
  ["pieces of long messages", async (from) => await findPieces(from, "own", wanted.all, ["msg_1"], 100)],
  ["files", async (from) => await findFileDocuments(from, filter, wanted, range, 20)],
  ["files whose words stand apart", async (from) => await findAcrossPieces(from, filter, wanted, range, 20)],
  [
    "files that are found with their messages",
    async (from) =>
      await Promise.all([
        findFileDocuments(from, filter, wanted, range, 20),
        findFiles({ ...from, read: from.readWorker }, filter, [1, 2]),
      ]),
  ],
  [
    "files of the library",
    async (from) => {
      const owner = { workspaceId: "own", userId: "ada" };
      const asked = { text: "garage code", kind: undefined, threadId: undefined };
      await listFiles({ ...from, read: from.readWorker }, owner, asked, "newest", undefined, 20);
    },
  ],
  [
    "passages with their texts",
    async (from) => {
      const found = { messages: [{ id: "msg_1", threadId: "thr_1" }], threadIds: ["thr_1"] };
      await findTexts(from, scope, found, { characters: 100, messages: 20 });
      await rankDocuments(from, scope, concepts, 20);
    },
  ],
  ["passages", async (from) => await rankDocuments(from, scope, concepts, 20)],
  ["passages in files", async (from) => await rankFileDocuments(from, scope, concepts, 20)],
])("the words of %s are looked up once", async ([, find]) => {
  const asked: RootOperationNode[] = [];
  const readWorker = db.readWorker.withPlugin({
    transformQuery: ({ node }) => (asked.push(node), node),
    transformResult: async ({ result }) => result,
  });
  await find({ ...db, readWorker });
  let lookups = 0;
  for (const node of asked) {
    const query = db.read.getExecutor().compileQuery(node, createQueryId());
    const plan = sql`explain query plan ${sql.raw(query.sql)}`.compile(db.read);
    const { rows } = await db.read.executeQuery<{ id: number; parent: number; detail: string }>({
      ...plan,
      parameters: query.parameters,
    });
    // No scan of all threads of a workspace or of all messages.
    expect(
      rows.map(({ detail }) => detail).filter((one) => /threads_listed|SCAN messages/.test(one)),
    ).toEqual([]);
    for (const { parent, detail, id } of rows) {
      if (!/search_(?:file_)?words VIRTUAL TABLE/.test(detail)) continue;
      lookups++;
      // Entries before it on the same level are loops around it.
      const around = rows.filter(
        (row) => row.parent === parent && row.id < id && /^(?:SCAN|SEARCH) /.test(row.detail),
      );
      expect(around.map((row) => row.detail)).toEqual([]);
    }
  }
  expect(lookups).toBeGreaterThan(0);
});
