import { extensionOf } from "../serving/file-urls.ts";

/** The protocol's name for a file. It is not a path and grants no access. */
export function keyOf(file: { id: string; project_id: string; name: string }): string {
  return `attachments/${file.project_id}/${file.id}${extensionOf(file.name)}`;
}

/** The id of the file that a key names; `undefined`: it is not a key of this project. */
export function fileIdOf(key: string, projectId: string): string | undefined {
  const [, project, id] =
    /^attachments\/([\w-]+)\/(file_0[0-9a-z]{24})(?:\.[a-z0-9]{1,10})?$/.exec(key) ?? [];
  return project === projectId ? id : undefined;
}
