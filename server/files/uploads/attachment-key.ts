import { extensionOf } from "../serving/addresses.ts";

/** What the protocol calls a file: a name for its own calls, which is no path and opens nothing. */
export function keyOf(file: { id: string; project_id: string; name: string }): string {
  return `attachments/${file.project_id}/${file.id}${extensionOf(file.name)}`;
}

/** The file that a key of a project could be of; `undefined` for whatever is not spelled as `keyOf` does. */
export function fileIdOf(key: string, projectId: string): string | undefined {
  const [, project, id] =
    /^attachments\/([\w-]+)\/(file_0[0-9a-z]{24})(?:\.[a-z0-9]{1,10})?$/.exec(key) ?? [];
  return project === projectId ? id : undefined;
}
