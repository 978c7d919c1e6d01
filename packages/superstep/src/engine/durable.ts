import { closeThread } from "./close-thread.ts";
import { openThread } from "./open-thread.ts";
import { recordTask, storeStep } from "./store.ts";
import type { Durability } from "./thread.ts";

// Loaded when the first run with a saver begins: a program without one does not carry it.
export const durability: Durability = { openThread, recordTask, storeStep, closeThread };
