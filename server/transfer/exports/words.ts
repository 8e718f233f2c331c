/** What stands in a Markdown export beside people's own words. */
export const words = {
  untitled: "Untitled",
  roles: { user: "You", assistant: "Assistant", system: "System" },
  about: (created: string, exported: string) => `Begun ${created}, exported ${exported}.`,
  reasoning: "Reasoning",
  tool: "Tool",
  arguments: "Arguments",
  result: "Result",
  failed: "The call failed.",
  sources: "Sources",
  image: "Image",
  audio: "Audio",
  file: "File",
  data: "Data",
  /** In place of bytes: they are in the JSON, and would be unreadable here. */
  inline: (kind: string) => `${kind} (in the JSON export)`,
  incomplete: {
    cancelled: "Stopped before its end.",
    length: "Cut off at the model's limit.",
    "content-filter": "Stopped by the provider's filter.",
    error: "Ended by an error.",
    interrupted: "Broken off.",
  } as Record<string, string>,
  unfinished: "Not finished when this was exported.",
} as const;
