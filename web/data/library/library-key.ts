export const libraryKey = ["library"] as const;
