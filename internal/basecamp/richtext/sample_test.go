package richtext

import (
	"fmt"
	"strings"
)

// update is a typical message of the fictional Fernhill Bikes, makers of cargo bikes: about 1 KB of
// Basecamp's HTML.
const update = `<div>Morning all,<br><br>the <strong>Fernhill Longtail</strong> frames came back from the powder coater on Tuesday, ` +
	`and <bc-attachment sgid="BAh7CEkiCGdpZAY6BkVUSSIrZ2lkOi8v" content-type="application/vnd.basecamp.mention"><figure>` +
	`<img srcset="https://bikes.example/people/1/avatar-64-x4 4x" width="64" height="64" src="https://bikes.example/people/1/avatar">` +
	`<figcaption>Mette</figcaption></figure></bc-attachment> checked all 24 of them &amp; found two with <em>thin paint</em> near the ` +
	`dropouts.</div><ul><li>Rework: <a href="https://fernhill.example/orders/4411">order 4411</a></li><li>Ship the other 22 on ` +
	`<strong>Friday</strong><ul><li>12 to Utrecht</li><li>10 to Malmö</li></ul></li></ul><blockquote>The coater pays for the ` +
	`rework, freight is ours.</blockquote><div>Photos below. Anything that can&nbsp;wait should wait until the fair is over; ` +
	`the rest of the plan is in <a href="https://fernhill.example/docs/spring">the spring plan</a>.</div>`

func sample(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(update)
		if i%5 == 4 {
			fmt.Fprintf(&b, `<h1>Week %d</h1><pre>frame  torque\nfork   %d Nm</pre><bc-attachment sgid="x" content-type="image/jpeg" `+
				`filename="frame-%d.jpg" presentation="gallery"><figure><img src="https://bikes.example/blobs/%d"><figcaption>Frame %d`+
				`</figcaption></figure></bc-attachment>`, i, i, i, i, i)
		}
	}
	return b.String()
}
