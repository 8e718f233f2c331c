import type { ResponseOf } from "#contract/api.ts";
import { isId } from "#contract/ids.ts";
import type { Call } from "#web/data/call.ts";
import { isTemporaryTopic } from "#web/data/drafts/temporary-storage.ts";
import { CallError } from "#web/data/call-error.ts";
import { withRetries } from "#web/data/retry.ts";
import type { sendFile } from "../send-file.ts";
import type { Upload } from "./upload.ts";

/** Uploads a file and returns its address. Throws `CallError`. */
export async function sendUpload(
  options: { call: Call; sendFile: typeof sendFile },
  { name, type, sizeBytes, topic }: Upload,
  file: Blob,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (sentBytes: number) => void },
): Promise<string> {
  const created = await options.call(
    "files.upload",
    {
      body: {
        filename: name,
        content_length: sizeBytes,
        ...(type === "" ? {} : { content_type: type }),
        ...(isTemporaryTopic(topic) ? { temporary: true } : {}),
        ...(isId("thread", topic) ? { thread_id: topic } : {}),
      },
    },
    signal,
  );
  // No auth headers: the URL is the credential, and may be that of a bucket.
  const failure = await options.sendFile({ method: "PUT", url: created.signedUrl }, file, {
    signal,
    onProgress,
  });
  if (failure !== undefined) throw failure;
  signal.throwIfAborted();
  // A bucket does not notify the server and does not check the quota: this call makes the server check the file.
  if (!isServiceUpload(created)) await confirmUpload(options.call, created.file_id, signal);
  return created.publicUrl;
}

async function confirmUpload(call: Call, fileId: string, signal: AbortSignal): Promise<void> {
  try {
    const check = async () => await call("files.get", { params: { file_id: fileId } }, signal);
    await withRetries(check, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    // Another request has checked and refused the file, which deletes it: the next attempt gets the reason.
    throw new CallError({ ...error.failure, retry: true }, { status: 404, cause: error });
  }
}

/** Whether the file was uploaded to the server itself, which has checked it already. */
function isServiceUpload({ signedUrl, publicUrl }: ResponseOf<"files.upload">): boolean {
  return new URL(signedUrl, publicUrl).origin === new URL(publicUrl).origin;
}

export function isNotFound(error: unknown): error is CallError {
  return error instanceof CallError && error.failure.code === "file-not-found";
}

/** Throws for a folder, and for a file that was moved or changed on disk since it was chosen. */
export async function assertReadable(file: Blob): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (cause) {
    throw new CallError({ code: "unreadable-file", retry: false }, { cause });
  }
}
