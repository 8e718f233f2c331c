/** What stands in messages of other services for what their exports do not hold. */
export const words = {
  missingFile: (name: string) => `(${name}: a file that this import does not carry)`,
  image: "Image",
  file: "File",
} as const;
