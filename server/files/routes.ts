import { AppError } from "../errors.ts";
import type { Route, Routes } from "../route.ts";

type Names = "files.upload" | "files.download" | "files.pdfToImages";

/** The protocol's calls for files, on a server that keeps none. */
export function fileRoutes(): Routes<Names> {
  const refuse: Route<Names> = async () => {
    throw new AppError("files-not-kept");
  };
  return { "files.upload": refuse, "files.download": refuse, "files.pdfToImages": refuse };
}
