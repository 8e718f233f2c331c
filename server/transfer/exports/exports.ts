import {
  exportFormat,
  exportVersion,
  promptsFormat,
  type ExportedFile,
  type ExportFormat,
  type ExportManifest,
} from "#contract/endpoints/exports.ts";
import type { Prompts } from "#server/assistants/prompts/prompts.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import type { TransferFiles } from "#server/files/transfer-files.ts";
import { authorsOfRows, type AuthorsOf } from "#server/messages/authors.ts";
import type { MessageRow } from "#server/messages/rows.ts";
import type { Transcripts } from "#server/messages/transcripts.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { ScoreTransfer } from "#server/protocol/scores/transfer-scores.ts";
import type { Threads } from "#server/threads/threads.ts";
import { zipOf, type ArchiveFile } from "./archive.ts";
import { createExportFiles, describe, type ExportFile } from "./exported-files.ts";
import { fileName, uniqueFileName } from "./file-name.ts";
import { threadJson, type ExportMessage } from "./thread-json.ts";
import { threadMarkdown } from "./markdown.ts";

/** A file that is created while it is read. After an error it is incomplete. */
export type ExportStream = {
  contentType: string;
  filename: string;
  chunks: AsyncIterable<string | Uint8Array>;
};

/** Exports threads with constant memory. */
export type Exports = {
  /** One thread: all of it as JSON, or the current branch as Markdown. Throws `thread-not-found`. */
  thread(visitor: Visitor, threadId: string, format: ExportFormat): Promise<ExportStream>;
  /** All threads of the workspace and the prompts of the person in a zip, including archive and trash; see `docs/export-format.md`. */
  everything(visitor: Visitor): ExportStream;
};

export function createExports(options: {
  threads: Pick<Threads, "get" | "readAll">;
  prompts: Pick<Prompts, "listForExport">;
  transcripts: Transcripts;
  scores: ScoreTransfer;
  transferFiles: TransferFiles;
  authorsOf: AuthorsOf;
  clock: Clock;
  version: string;
}): Exports {
  const { threads, prompts, transcripts, scores, transferFiles, authorsOf, clock, version } = options;
  const now = () => isoTime(clock.now());

  async function* json(
    visitor: Visitor,
    thread: Thread,
    attached: () => Promise<ExportedFile[]>,
    count: (messages: number) => void,
  ): AsyncGenerator<string> {
    const outline = await transcripts.outlineThread(thread.id);
    const facts = {
      thread,
      shown: await transcripts.findHead(visitor.userId, thread.id),
      scores: await scores.listOfThread(visitor.userId, thread.id),
      files: await attached(),
    };
    count(outline.length);
    const pages = withAuthors(visitor, transcripts.read(thread.id, outline));
    yield* threadJson(facts, pages, now());
  }

  async function* withAuthors(
    visitor: Visitor,
    pages: AsyncIterable<MessageRow[]>,
  ): AsyncGenerator<ExportMessage[]> {
    for await (const page of pages) {
      const authors = await authorsOfRows(authorsOf, visitor.appId, page);
      yield page.map((row) => ({ row, answeredBy: authors.get(row.id) ?? null }));
    }
  }

  /** `places`: the paths of files, by id. */
  async function* markdown(
    visitor: Visitor,
    thread: Thread,
    places?: ReadonlyMap<string, string>,
  ): AsyncGenerator<string> {
    const head = await transcripts.findHead(visitor.userId, thread.id);
    const outline = head === undefined ? [] : await transcripts.outlineBranch(thread.id, head);
    yield* threadMarkdown(thread, transcripts.read(thread.id, outline), now(), places);
  }

  async function* files(visitor: Visitor): AsyncGenerator<ArchiveFile> {
    const attached = createExportFiles(transferFiles);
    const manifest: ExportManifest = {
      format: exportFormat,
      version: exportVersion,
      exported_at: now(),
      program: { name: "Parlance", version },
      threads: 0,
      messages: 0,
      files: 0,
    };
    for await (const thread of threads.readAll(visitor)) {
      const name = `threads/${uniqueFileName(thread)}`;
      const modified = new Date(thread.last_message_at);
      const count = (messages: number) => (manifest.messages += messages);
      let found: ExportFile[] = [];
      const described = async () => {
        found = await attached.ofThread(visitor.workspaceId, thread.id);
        return found.map(({ file, path }) => describe(file, path));
      };
      yield { name: `${name}.json`, modified, chunks: () => json(visitor, thread, described, count) };
      const places = new Map(found.map(({ file, path }) => [file.id, `../${path}`]));
      yield { name: `${name}.md`, modified, chunks: () => markdown(visitor, thread, places) };
      manifest.threads += 1;
      for await (const file of attached.unsent(found)) {
        yield file;
        manifest.files += 1;
      }
    }
    const kept = await prompts.listForExport(visitor);
    if (kept.length > 0)
      yield {
        name: "prompts.json",
        modified: new Date(manifest.exported_at),
        chunks: () => [pretty({ format: promptsFormat, version: exportVersion, prompts: kept })],
      };
    yield {
      name: "manifest.json",
      modified: new Date(manifest.exported_at),
      chunks: () => [pretty(manifest)],
    };
  }

  return {
    async thread(visitor, threadId, format) {
      const thread = await threads.get(visitor, threadId);
      const described = async () => {
        const found = await transferFiles.ofThread(visitor.workspaceId, thread.id);
        return found.map((file) => describe(file, null));
      };
      if (format === "json")
        return {
          contentType: "application/json; charset=utf-8",
          filename: `${fileName(thread)}.json`,
          chunks: json(visitor, thread, described, () => {}),
        };
      return {
        contentType: "text/markdown; charset=utf-8",
        filename: `${fileName(thread)}.md`,
        chunks: markdown(visitor, thread),
      };
    },
    everything: (visitor) => ({
      contentType: "application/zip",
      filename: `parlance-export-${now().slice(0, 10)}.zip`,
      chunks: zipOf(files(visitor)),
    }),
  };
}

/** JSON for a file that people may read. */
export function pretty(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
