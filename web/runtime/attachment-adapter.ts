import type {
  AssistantRuntime,
  AttachmentAdapter,
  PendingAttachment,
  ThreadUserMessagePart,
} from "@assistant-ui/react";
import { useEffect, useMemo, useRef } from "react";
import { useServices } from "#web/data/provider.tsx";
import { useWindowEvent } from "#web/lib/use-window-event.ts";
import { isImageType, uploadPart, type Upload } from "#web/data/files/uploads/upload.ts";
import type { Uploads } from "#web/data/files/uploads/uploads.ts";

/** The adapter for assistant-ui's composers: each attachment is an upload of the draft, with the same id. */
export function useAttachmentAdapter(draft: string): AttachmentAdapter {
  const { uploads } = useServices();
  const topic = useRef(draft);
  const lifetime = useRef(new AbortController());
  const adapter = useMemo(
    () =>
      createAttachmentAdapter(
        uploads,
        () => topic.current,
        () => lifetime.current.signal,
      ),
    [uploads],
  );
  useEffect(() => {
    topic.current = draft;
  });
  useEffect(() => {
    if (lifetime.current.signal.aborted) lifetime.current = new AbortController();
    return () => lifetime.current.abort();
  }, []);
  return adapter;
}

/** Restores the attachments that were in the composer when the thread or the page was left. */
export function useRestoredAttachments(runtime: AssistantRuntime, draft: string): void {
  const { uploads } = useServices();
  useEffect(() => {
    let isUnmounted = false;
    void uploads.restore().then(() => {
      const { composer } = runtime.thread;
      const present = new Set(composer.getState().attachments.map(({ id }) => id));
      for (const upload of uploads.all.get())
        if (!isUnmounted && upload.topic === draft && !present.has(upload.id))
          void composer.addAttachment(placeholderOf(upload)).catch(() => {});
    });
    return () => {
      isUnmounted = true;
    };
  }, [runtime, uploads, draft]);
  const verify = () => {
    if (document.visibilityState === "visible") uploads.verify();
  };
  useWindowEvent("visibilitychange", verify);
  useWindowEvent("focus", verify);
}

const uploadIds = new WeakMap<File, string>();

/** An empty file that stands for an existing upload: adapters receive only files. */
function placeholderOf(upload: Upload): File {
  const placeholder = new File([], upload.name, { type: upload.type });
  uploadIds.set(placeholder, upload.id);
  return placeholder;
}

type Stored = Parameters<Uploads["addStored"]>[1];
const storedFiles = new WeakMap<File, Stored>();

/** An empty file that stands for one that the server has, so that it is attached without an upload. */
export function placeholderOfStored(stored: Stored): File {
  const placeholder = new File([], stored.name, { type: stored.type });
  storedFiles.set(placeholder, stored);
  return placeholder;
}

function createAttachmentAdapter(
  uploads: Uploads,
  topic: () => string,
  lifetime: () => AbortSignal,
): AttachmentAdapter {
  const find = (id: string) => uploads.all.get().find((upload) => upload.id === id);
  return {
    accept: "*",
    async *add({ file }) {
      const stored = storedFiles.get(file);
      const added = () =>
        stored === undefined ? uploads.add(topic(), file) : uploads.addStored(topic(), stored);
      const id = uploadIds.get(file) ?? added().id;
      const signal = lifetime();
      let reported: Upload | undefined;
      while (!signal.aborted) {
        const upload = find(id);
        if (upload === undefined) return;
        // The attachment's own view shows the progress; reporting it here would render the whole thread.
        if (upload.state !== reported?.state) yield pendingOf(upload, file);
        reported = upload;
        // Continue until it is sent or removed: the server deletes an unused file after a day.
        await nextChange(uploads, signal);
      }
    },
    async remove({ id }) {
      uploads.remove(id);
    },
    async send(attachment) {
      const upload = find(attachment.id);
      const part = upload && uploadPart(upload);
      if (part === undefined) throw new Error("A file cannot be sent before it is uploaded.");
      const content = [part as ThreadUserMessagePart];
      return { ...attachment, status: { type: "complete" }, content };
    },
  };
}

function pendingOf(upload: Upload, file: File): PendingAttachment {
  return {
    id: upload.id,
    type: isImageType(upload.type) ? "image" : "file",
    name: upload.name,
    contentType: upload.type,
    file,
    status: statusOf(upload),
  };
}

function statusOf({ state, failure }: Upload): PendingAttachment["status"] {
  if (state === "ready") return { type: "requires-action", reason: "composer-send" };
  if (state === "failed") return { type: "incomplete", reason: "error", message: failure?.code ?? "" };
  return { type: "running", reason: "uploading", progress: 0 };
}

async function nextChange(uploads: Uploads, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const unsubscribe = uploads.all.subscribe(resolve);
  const stop = () => resolve();
  signal.addEventListener("abort", stop);
  await promise;
  signal.removeEventListener("abort", stop);
  unsubscribe();
}
