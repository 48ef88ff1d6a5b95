package richtext
import ("testing";"fmt")
func TestTry2(t *testing.T) {
	mention := mentionTag+"<figure><figcaption>Mette</figcaption></figure></bc-attachment>"
	for _, c := range [][3]string{
		{"<div>the <b>old</b> frame</div>","old frame","new"},
		{"<div>the <b>old</b> frame</div>","the **old**","new"},
		{"<div>the <b>old</b> frame</div>","**old**","**new**"},
		{"<div>the <b>old</b> frame</div>","old","new *one*"},
		{"<div>the <b>old</b> frame</div>","old","- a\n- b"},
		{"<p>the <b>old</b> frame</p>","old","- a\n- b"},
		{"<p>old</p>","old","- a\n- b"},
		{`<div>a <a href="https://x.example">the plan</a> b</div>`,"[the plan](https://x.example)","[the plan](https://y.example)"},
		{`<div>a <a href="https://x.example">the plan</a> b</div>`,"plan","[list](https://y.example)"},
		{`<div>a <a href="https://x.example">the plan</a> b</div>`,"the plan b","x"},
		{"<div>a &amp; b&nbsp;&nbsp;c<br>d</div><ul><li>a</li></ul>","a & b c\nd","x < y"},
		{"<div>a a</div>","a","x"},
		{"<div>a</div>","b","x"},
		{"<div>hi "+mention+" there</div>","hi there","x"},
		{"<div>hi "+mention+" there</div>","Mette","x"},
		{"<div>hi "+mention+" there</div>","there","you"},
		{"<ul><li>item</li><li>other</li></ul>","- item","- thing"},
		{"<div>1. first</div>","1. first","2. second"},
		{"<div>a<br><br>b</div>","a\n\nb","c"},
		{"<pre>x := 1\ny</pre>","```\nx := 1\n```","`y`"},
		{"<div>snake_case</div>",`snake\_case`,"x"},
		{"<div>old text","old","new"},
		{"<div>remove me now</div>","me ",""},
	} {
		h,n := Replace(c[0],c[1],Writing{}.HTML(c[2]))
		fmt.Printf("%s | %q -> %q\n   %d %s\n",c[0],c[1],c[2],n,h)
	}
	for _,f := range []string{"","<div>a</div>","<div>a","<ul><li>a<li>b","<p>a<p>b","text","<div>a</div><!-- x","<div>a</div><b","<ul><li>a</li></ul>"} {
		fmt.Println(Append(f,"<div>z</div>"), "|", Markdown(Append(f,"<div>z</div>")))
	}
}
