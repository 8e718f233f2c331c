import type { NounFacts } from "../facts/noun-facts.ts";
import { cleanText } from "../text.ts";

const labelsMax = 200;

/** Labels are folders and tags. */
export const labels = {
  chapters: {
    labels: {
      title: "Folders and tags",
      description:
        "A thread can be in a folder and have tags. They belong to a workspace: members of its shared threads do not see them.",
    },
  },
  ids: { label: "lbl_0" },
  limits: {
    /** Folders, and tags, of a workspace: a list has all of them. */
    labelsMax,
    labelCharacters: 40,
    tagsPerThread: 20,
  },
  errors: {
    "404, other clients": {
      "label-not-found": {
        protocol: "Folder or tag not found",
        en: "This folder or tag doesn’t exist. It may have been deleted.",
        ar: "هذا المجلد أو الوسم غير موجود. ربما حُذف.",
      },
    },
    "409, other clients": {
      "label-name-taken": {
        protocol: "Name is taken",
        en: "There is a folder or tag with this name already. Choose another name.",
        ar: "يوجد مجلد أو وسم بهذا الاسم. اختر اسمًا آخر.",
      },
      "too-many-labels": {
        protocol: "Too many folders or tags",
        en: `You’ve reached the limit of ${labelsMax} folders and ${labelsMax} tags. Delete one you don’t need.`,
        ar: `بلغت الحد وهو ${labelsMax} مجلد و${labelsMax} وسم. احذف ما لا تحتاج إليه.`,
      },
    },
  },
  changes: ["labels-put"],
  auditActions: [],
} as const satisfies NounFacts;

/** The name of a folder or tag as it is stored. */
export function labelName(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, " ").trim();
}

/** Equal for names that differ only in case, or in quotation marks, which end a name in a search. */
export function labelKey(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s"“”„‟«»]+/g, " ")
    .trim();
}
