/* Sorts a table by the column whose head is clicked. Without it everything is there, in the order of the run. */
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0], value = (row, column) => {
    const cell = row.cells[column];
    if (!cell || cell.colSpan > 1) return Infinity;
    return cell.dataset.value !== undefined && +cell.dataset.value > 0 ? +cell.dataset.value : cell.classList.contains("none") ? Infinity : cell.textContent;
  };
  heads.forEach((head, column) => {
    head.classList.add("sortable");
    head.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      body.append(...[...body.rows].sort((a, b) => {
        const left = value(a, column), right = value(b, column);
        const order = typeof left === "number" && typeof right === "number" ? (left > right) - (left < right) : String(left).localeCompare(String(right), "en", {numeric: true});
        return up ? order : -order;
      }));
    });
  });
}
