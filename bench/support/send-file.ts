import { call, type User } from "./parlance.ts";

/** Uploads `bytes` as a file of `person`, and returns its public URL. */
export async function sendFile(person: User, bytes: Uint8Array): Promise<string> {
  const path = "/v1/files/attachments/generate-presigned-upload-url";
  const { signedUrl, publicUrl } = await call<{ signedUrl: string; publicUrl: string }>(
    person,
    "POST",
    path,
    { filename: "piece.bin" },
  );
  await putBytes(signedUrl, bytes);
  return publicUrl;
}

export async function putBytes(url: string, bytes: Uint8Array): Promise<void> {
  const answer = await fetch(url, { method: "PUT", body: bytes as Uint8Array<ArrayBuffer> });
  if (!answer.ok) throw new Error(`PUT ${url}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}
