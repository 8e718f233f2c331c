export type AttachmentState = "ready" | "coming" | "failed";

/** Whether what is attached can go: all of it is there. */
export function attachmentState(attachments: readonly { status: { type: string } }[]): AttachmentState {
  if (attachments.some(({ status }) => status.type === "incomplete")) return "failed";
  return attachments.some(({ status }) => status.type === "running") ? "coming" : "ready";
}
