export type AttachmentState = "ready" | "uploading" | "failed";

/** The combined state of the attachments. A message can be sent when it is `ready`. */
export function attachmentState(attachments: readonly { status: { type: string } }[]): AttachmentState {
  if (attachments.some(({ status }) => status.type === "incomplete")) return "failed";
  return attachments.some(({ status }) => status.type === "running") ? "uploading" : "ready";
}
