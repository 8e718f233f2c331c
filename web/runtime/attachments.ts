import type {
  AssistantRuntime,
  AttachmentAdapter,
  PendingAttachment,
  ThreadUserMessagePart,
} from "@assistant-ui/react";
import { useEffect, useMemo, useRef } from "react";
import { useServices } from "#web/data/provider.tsx";
import { isDrawn, partOfUpload, type Upload } from "#web/data/library/uploads/upload.ts";
import type { Uploads } from "#web/data/library/uploads/uploads.ts";

/**
 * What assistant-ui's composers do with files: they are uploads of ours, of the draft that they belong to, and its
 * attachments stand for them by id.
 */
export function useAttachmentAdapter(draft: string): AttachmentAdapter {
  const { uploads } = useServices();
  const topic = useRef(draft);
  const life = useRef(new AbortController());
  const adapter = useMemo(
    () =>
      createAttachmentAdapter(
        uploads,
        () => topic.current,
        () => life.current.signal,
      ),
    [uploads],
  );
  useEffect(() => {
    topic.current = draft;
  });
  useEffect(() => {
    if (life.current.signal.aborted) life.current = new AbortController();
    return () => life.current.abort();
  }, []);
  return adapter;
}

/** Puts back into the composer what was there when the thread, or the page, was left. */
export function useKeptAttachments(runtime: AssistantRuntime, draft: string): void {
  const { uploads } = useServices();
  useEffect(() => {
    let left = false;
    void uploads.restore().then(() => {
      const { composer } = runtime.thread;
      const there = new Set(composer.getState().attachments.map(({ id }) => id));
      for (const upload of uploads.all.get())
        if (!left && upload.topic === draft && !there.has(upload.id))
          void composer.addAttachment(handleOf(upload)).catch(() => {});
    });
    return () => {
      left = true;
    };
  }, [runtime, uploads, draft]);
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") uploads.verify();
    };
    document.addEventListener("visibilitychange", look);
    window.addEventListener("focus", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      window.removeEventListener("focus", look);
    };
  }, [uploads]);
}

const handles = new WeakMap<File, string>();

/** An upload that exists already, as the file that an adapter is given. */
function handleOf(upload: Upload): File {
  const handle = new File([], upload.name, { type: upload.type });
  handles.set(handle, upload.id);
  return handle;
}

function createAttachmentAdapter(
  uploads: Uploads,
  topic: () => string,
  life: () => AbortSignal,
): AttachmentAdapter {
  const find = (id: string) => uploads.all.get().find((upload) => upload.id === id);
  return {
    accept: "*",
    async *add({ file }) {
      const id = handles.get(file) ?? uploads.add(topic(), file).id;
      const signal = life();
      let told: Upload | undefined;
      while (!signal.aborted) {
        const upload = find(id);
        if (upload === undefined) return;
        // How far it is shows the chip itself; each word of it here would draw the whole thread anew.
        if (upload.state !== told?.state) yield pendingOf(upload, file);
        told = upload;
        // Until it was sent or taken out: what is ready can be gone after a day.
        await changed(uploads, signal);
      }
    },
    async remove({ id }) {
      uploads.remove(id);
    },
    async send(attachment) {
      const upload = find(attachment.id);
      const part = upload && partOfUpload(upload);
      if (part === undefined) throw new Error("A file that is not there yet cannot be sent.");
      const content = [part as ThreadUserMessagePart];
      return { ...attachment, status: { type: "complete" }, content };
    },
  };
}

function pendingOf(upload: Upload, file: File): PendingAttachment {
  return {
    id: upload.id,
    type: isDrawn(upload.type) ? "image" : "file",
    name: upload.name,
    contentType: upload.type,
    file,
    status: statusOf(upload),
  };
}

function statusOf({ state, failure }: Upload): PendingAttachment["status"] {
  if (state === "ready") return { type: "requires-action", reason: "composer-send" };
  if (state === "failed") return { type: "incomplete", reason: "error", message: failure?.message ?? "" };
  return { type: "running", reason: "uploading", progress: 0 };
}

async function changed(uploads: Uploads, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const unsubscribe = uploads.all.subscribe(resolve);
  signal.addEventListener("abort", () => resolve());
  await promise;
  unsubscribe();
}
