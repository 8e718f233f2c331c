import { QueryClientProvider } from "@tanstack/react-query";
import { createContext, useContext, useState, type ReactNode } from "react";
import { browserServices, type Services } from "./services.ts";

const ServicesContext = createContext<Services | undefined>(undefined);

/** Gives the app its data: session, rows and line. Shows nothing itself. */
export function DataProvider({ children }: { children: ReactNode }) {
  const [services] = useState(browserServices);
  return (
    <ServicesContext value={services}>
      <QueryClientProvider client={services.queries}>{children}</QueryClientProvider>
    </ServicesContext>
  );
}

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (services === undefined) throw new Error("This belongs inside DataProvider.");
  return services;
}
