/** Text of Markdown exports. */
export const words = {
  untitled: "Untitled",
  roles: { user: "You", assistant: "Assistant", system: "System" },
  nested: { user: "Input", assistant: "Answer", system: "Instructions" },
  about: (created: string, exported: string) => `Begun ${created}, exported ${exported}.`,
  sources: "Sources",
  file: "File",
  incomplete: {
    cancelled: "Stopped before its end.",
    length: "Cut off at the model's limit.",
    "content-filter": "Stopped by the provider's filter.",
    error: "Ended by an error.",
    interrupted: "Broken off.",
  } as Record<string, string>,
  edited: "Edited by hand.",
  unfinished: "Not finished when this was exported.",
} as const;
