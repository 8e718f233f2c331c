/** Replaces content that the exports of other services do not contain. */
export const words = {
  missingFile: (name: string) => `(${name}: a file that this import does not contain)`,
  image: "Image",
  file: "File",
  pastedText: "pasted.txt",
  error: (message: string) => `Error: ${message}`,
  openWebUiFolder: (id: string) => `Open WebUI folder ${id.slice(0, 8)}`,
  project: (id: string) => `ChatGPT project ${id}`,
  change: (title: string) => `A change to ${title}`,
} as const;
