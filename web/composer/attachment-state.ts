export type Stand = "ready" | "coming" | "failed";

/** Whether what is attached can go: all of it is there. */
export function standOf(attachments: readonly { status: { type: string } }[]): Stand {
  if (attachments.some(({ status }) => status.type === "incomplete")) return "failed";
  return attachments.some(({ status }) => status.type === "running") ? "coming" : "ready";
}
