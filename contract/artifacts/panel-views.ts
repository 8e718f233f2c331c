/** The views of an artifact in the panel. */
export const panelViews = ["preview", "code", "changes", "edit"] as const;
